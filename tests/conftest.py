"""Property tests draw the same examples every time; ``HYPOTHESIS_PROFILE=explore`` draws new ones."""

import os

import numpy as np
import pytest
from hypothesis import settings

from condmmd.backend import n_threads, threads

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


# What a complete run may leave out: everything else can be installed.
MAY_BE_SKIPPED = (
    "the real data are not on this machine",
    "SCIPY_ARRAY_API is not set: not checking array_api input",  # one of scikit-learn's checks, which has its reason
)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport():
    """With NO_SKIPS in the environment a skipped test is a failed one: what it needs is to be installed."""
    report = (yield).get_result()
    if report.skipped and "NO_SKIPS" in os.environ and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if not reason.endswith(MAY_BE_SKIPPED):
            report.outcome, report.longrepr = "failed", f"this test was to run here, and was skipped: {reason}"


AS_IMPORTED: dict[str, dict] = {}


@pytest.fixture(autouse=True)
def _the_same_draws_whatever_ran_before(request):
    """The generator `RNG` of a module starts every test where importing the module left it.

    Else what a test draws, and now and then whether it passes, would depend on the tests that its worker got before it.
    """
    module = request.node.getparent(pytest.Module)
    rng = getattr(getattr(module, "obj", None), "RNG", None)
    if isinstance(rng, np.random.Generator):
        rng.bit_generator.state = AS_IMPORTED.setdefault(module.nodeid, rng.bit_generator.state)


@pytest.fixture
def two_threads():
    """BLAS with two threads, whatever the environment says."""
    with threads._blas().limit(limits=2):
        if n_threads() != 2:
            pytest.skip("this BLAS has one thread")
        yield
