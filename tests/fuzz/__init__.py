"""Calls that nobody would write down one by one: ``python -m tests.fuzz --calls 5000 --seed 0 --jobs 2``.

Tables of every dtype, container and scale, options right and wrong, through every function. Each call must give finite
numbers, or an error that names an argument and says what to do; and leave what it was given as it was.
"""
