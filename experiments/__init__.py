"""Every experiment of the paper, run through the public functions and laid over the published curves."""
