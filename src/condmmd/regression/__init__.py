"""Sums over rows, and the ridge and logistic regressions made from them."""
