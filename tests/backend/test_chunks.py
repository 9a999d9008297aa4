"""A function of a chunk of rows gives the same applied to all of them, wherever they are."""

import array_api_strict as strict
import dask.array as da
import numpy as np
import pytest

from condmmd.backend import (
    chunks,
    column_span,
    distinct_rows,
    each_chunk,
    each_step,
    first_rows,
    in_chunks,
    is_chunked,
    map_rows,
    persist,
    pick_rows,
    place_rows,
    report_passes,
    row_numbers,
    row_slices,
    rows_like,
    sample_rows,
    steps_of,
    sum_rows,
    take,
    to_host,
    together,
    total,
)

RNG = np.random.default_rng(0)
ROWS = np.round(RNG.normal(size=(50, 3)))
PLACES = {
    "in memory": np.asarray,
    "device": strict.asarray,
    "chunks": lambda a: da.from_array(a, chunks=(17, *a.shape[1:])),
}


@pytest.fixture(params=PLACES)
def place(request):
    return PLACES[request.param]


def test_rows_are_mapped_and_summed(place, monkeypatch):
    monkeypatch.setattr("condmmd.backend.arrays.HOST_NUMBERS", 64)  # slices of 64 rows at least
    rows, other = place(np.repeat(ROWS, 5, axis=0)), place(np.arange(250.0))
    expected = np.repeat(ROWS, 5, axis=0) * np.arange(250.0)[:, None]
    mapped = map_rows(lambda a, b: a * b[:, None], rows, other, columns=3)
    np.testing.assert_array_equal(to_host(mapped), expected)
    np.testing.assert_array_equal(to_host(map_rows(lambda a: a[:, 0], rows)), np.repeat(ROWS, 5, axis=0)[:, 0])
    pair = sum_rows(lambda a, b: (a.T @ a, b @ a), rows, other)
    np.testing.assert_allclose(to_host(pair[0]), 5 * ROWS.T @ ROWS)
    np.testing.assert_allclose(to_host(pair[1]), expected.sum(axis=0))
    np.testing.assert_allclose(to_host(total(rows)), 5 * ROWS.sum(axis=0))


def test_what_is_found_in_all_rows(place):
    rows = place(ROWS)
    np.testing.assert_array_equal(distinct_rows(rows), np.unique(ROWS, axis=0))
    np.testing.assert_array_equal(column_span(rows), [ROWS.min(axis=0), ROWS.max(axis=0)])
    np.testing.assert_array_equal(first_rows(rows, 20), ROWS[:20])
    np.testing.assert_array_equal(first_rows(rows, 99), ROWS)
    np.testing.assert_array_equal(to_host(row_numbers(rows)), np.arange(50))
    np.testing.assert_array_equal(to_host(pick_rows(rows, np.array([1, 20, 49]))), ROWS[[1, 20, 49]])
    np.testing.assert_array_equal(to_host(take(rows, [2, 0], axis=1)), ROWS[:, [2, 0]])
    assert sum(len(found) for found in each_chunk(to_host, rows)) == 50
    np.testing.assert_array_equal(to_host(persist(rows)), ROWS)


def test_rows_are_put_where_others_are(place):
    rows = place(ROWS)
    placed = place_rows(ROWS[:, 0], rows)
    assert type(placed) is type(rows)
    np.testing.assert_array_equal(to_host(placed), ROWS[:, 0])
    for given in (ROWS[:, 0].tolist(), ROWS[:, :1], place(ROWS[:, 0])):
        found = rows_like(given, rows)
        assert type(found) is type(rows)
        np.testing.assert_array_equal(to_host(found), ROWS[:, 0])
    assert len(to_host(rows_like([0.5, 0.5], rows))) == 2  # as they come if they are not as many
    for moved, own in zip(together([ROWS, place(ROWS), np.arange(50.0)]), (ROWS, ROWS, np.arange(50.0)), strict=True):
        assert type(moved) is type(rows)
        np.testing.assert_array_equal(to_host(moved), own)


def test_steps_cover_everything_once():
    for n, step in ((0, 5), (1, 5), (10, 5), (11, 5)):
        covered = [i for part in steps_of(n, step) for i in range(n)[part]]
        assert covered == list(range(n))
    assert each_step(lambda part: part.stop, steps_of(10, 3), ROWS) == [3, 6, 9, 10]
    assert row_slices(ROWS, 10**9) == [slice(0, 50)]


def test_chunks_are_of_a_moderate_size(monkeypatch):
    monkeypatch.setattr(chunks, "CHUNK_ROWS", 20)
    made = in_chunks(da.from_array(ROWS, chunks=(45, 2)))
    assert made.chunks == ((20, 20, 5, 5), (3,))
    assert in_chunks(ROWS).chunks[0] == (20, 20, 10)
    assert in_chunks(da.from_array(ROWS[:0], chunks=(1, 2))).chunks[0] == (0,)
    assert in_chunks(np.arange(50), like=made).chunks == (made.chunks[0],)
    assert is_chunked(made)


@pytest.mark.parametrize("parts", [1, 2, 8, 9, 65])
def test_sums_over_many_chunks(parts):
    """Numbers of chunks at which a tree of sums has a last branch of one."""
    rows = da.arange(parts, chunks=1)
    assert float(total(rows)) == parts * (parts - 1) / 2


def test_passes_are_counted():
    seen = []
    rows = PLACES["chunks"](ROWS)
    with report_passes(seen.append):
        total(rows)
        each_chunk(len, rows)
    total(rows)
    assert seen == [1, 2]


def test_some_rows_in_order_the_same_every_time():
    rows = sample_rows(1000, 10)
    assert len(np.unique(rows)) == 10
    assert np.all(np.diff(rows) > 0)
    np.testing.assert_array_equal(rows, sample_rows(1000, 10))
    np.testing.assert_array_equal(sample_rows(5, 10), np.arange(5))
