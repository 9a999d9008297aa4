"""Waiting for a cluster of dask, but not for one whose workers are all gone."""

from __future__ import annotations

from time import monotonic
from typing import Any

__all__ = ["compute_parts"]

# Seconds without any worker after which a computation is given up, and between looks at them.
NO_WORKERS = 120.0
LOOK = 2.0


def compute_parts(parts: list[Any]) -> list[Any]:
    """What these parts of dask are, by whatever computes for it: threads, processes or a cluster."""
    import dask  # noqa: PLC0415 - an extra

    client = _cluster()
    return list(dask.compute(*parts)) if client is None else _on_cluster(client, parts)


def _cluster() -> Any:
    """The client of a cluster, if that is what computes."""
    from dask.base import get_scheduler  # noqa: PLC0415

    client = getattr(get_scheduler(), "__self__", None)
    return client if hasattr(client, "nthreads") and not getattr(client, "asynchronous", False) else None


def _on_cluster(client: Any, parts: list[Any]) -> list[Any]:
    from dask import config  # noqa: PLC0415
    from dask.utils import parse_timedelta  # noqa: PLC0415
    from distributed import wait  # noqa: PLC0415

    allowed = parse_timedelta(config.get("condmmd.no-workers-timeout", NO_WORKERS))
    futures, patience = client.compute(parts), allowed
    seen = monotonic()
    while True:
        try:
            wait(futures, timeout=min(LOOK, allowed))  # type: ignore[no-untyped-call]
            return list(_gather(client, futures, patience))
        except TimeoutError:
            patience *= 2  # results that are there and take long to fetch
            now = monotonic()
            seen = now if client.nthreads() else seen
            if now - seen > allowed:
                for future in futures:
                    future.release()  # not cancelled, as the same may be asked for again
                raise TimeoutError(
                    f"the dask cluster has had no workers for {allowed:g} seconds, so nothing can be computed. Start "
                    "workers and call again; or, if they take longer to come, raise the limit with "
                    "dask.config.set({'condmmd.no-workers-timeout': '1 hour'})."
                ) from None


def _gather(client: Any, futures: list[Any], seconds: float) -> Any:
    """Their results; workers that go after they are done take them along, and dask would wait for ever."""

    async def gather() -> Any:
        return await client.gather(futures, asynchronous=True)

    return client.sync(gather, callback_timeout=seconds)
