"""The field's benchmark: every method that can be had, on one set of problems, by one command."""
