"""Property tests draw the same examples every time; ``HYPOTHESIS_PROFILE=explore`` draws new ones."""

import os

import pytest
from hypothesis import settings

from condmmd.backend import n_threads, threads

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


@pytest.fixture
def two_threads():
    """BLAS with two threads, whatever the environment says."""
    with threads._blas().limit(limits=2):
        if n_threads() != 2:
            pytest.skip("this BLAS has one thread")
        yield
