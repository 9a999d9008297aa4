"""Step 2 of the flow: similarity on one space. One formula a file; ``*``, ``+`` and ``.on()`` combine them."""

from condmmd.kernels.additive import Additive
from condmmd.kernels.base import Kernel, On, Product, Sum
from condmmd.kernels.choose import (
    KernelLike,
    check_kernel,
    default_kernel,
    is_precomputed,
    resolve_kernel,
    standard_units,
)
from condmmd.kernels.delta import Delta
from condmmd.kernels.distances import share_distances
from condmmd.kernels.features import FeatureMap, Landmarks
from condmmd.kernels.gaussian import Gaussian
from condmmd.kernels.given import FromFunction, Precomputed
from condmmd.kernels.laplacian import Laplacian
from condmmd.kernels.matern import Matern
from condmmd.kernels.polynomial import Linear, Polynomial
from condmmd.kernels.stationary import lengthscales, median_distance, subsample

__all__ = [
    "Additive", "Delta", "FeatureMap", "FromFunction", "Gaussian", "Kernel", "KernelLike", "Landmarks", "Laplacian",
    "Linear", "Matern", "On", "Polynomial", "Precomputed", "Product", "Sum", "check_kernel", "default_kernel",
    "is_precomputed", "lengthscales", "median_distance", "resolve_kernel", "share_distances", "standard_units",
    "subsample",
]  # fmt: skip
