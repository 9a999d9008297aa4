"""The tables of Chatterjee, Niu and Bhattacharya (2024), repeated, and our tests on the same data."""
