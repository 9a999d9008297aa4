"""How large the difference is, how sure one can be of that, and what would have been seen or would overturn it."""
