"""Cut one attention problem into smaller ones, and put the results together."""

import math
from collections.abc import Iterator
from itertools import product

from attention_ref._arrays import Array, Shape, home, is_numpy, known_to_hold
from attention_ref._bounded import (
    Bounded,
    Memory,
    Place,
    add_tile,
    bounded,
    finish_in_place,
    lost,
    memory_for,
)
from attention_ref._core import (
    Sums,
    absorb,
    attend,
    finish,
    masked_scores,
    sums_before,
    visible,
)
from attention_ref._problem import Problem, scores_shape

KEYS = 384
"""Keys in a tile: as many as OpenBLAS takes at once."""

QUERIES = 2048
"""Queries in a tile: its scores fit into a cache. OpenBLAS cuts tall products into
rows only, and its threads wait less for each other than in square ones."""


def attend_by_size(problem: Problem) -> tuple[Array, Array]:
    """Return output and log-sum-exp; NumPy takes large problems in tiles.

    NumPy works through a matrix once for each operation, and only in a tile are the
    scores still in the cache when the next one comes.
    """
    shape = scores_shape(problem.query, problem.key, problem.value)
    if not is_numpy(problem.xp) or math.prod(shape) <= QUERIES * KEYS:
        return attend(problem)
    return attend_in_tiles(problem)


def attend_in_tiles(
    problem: Problem, columns: int | None = None
) -> tuple[Array, Array]:
    """Return output and log-sum-exp, taking so many keys at once.

    NumPy takes one head at a time, so that a tile stays in the cache; the others
    take all heads together, so that there is enough to do at once.
    """
    xp, queries = problem.xp, problem.query.shape[-2]
    rows, columns = tile_shape(queries, columns)
    if not is_numpy(xp):
        return _heads_together(problem, rows, columns)
    leading = scores_shape(problem.query, problem.key, problem.value)[:-2]
    shape = (*leading, queries, problem.value.shape[-1])
    output = xp.empty(shape, dtype=problem.query.dtype)
    log_sum = xp.empty(shape[:-1], dtype=problem.query.dtype)
    memory = memory_for(problem, rows, columns)
    for index in product(*map(range, leading)):
        own = head(problem, leading, index)
        ready = bounded(own)
        for some in slices(queries, rows):
            place = Place(output[index][some], log_sum[index][some])
            if not (ready and _short_way(own, ready, memory, place, some, columns)):
                sums = _usual_way(own, some, columns)
                place.output[...], place.log_sum[...] = finish(xp, sums)
    return output, log_sum


def tile_shape(queries: int, columns: int | None) -> tuple[int, int]:
    """Return how many queries and keys make a tile; fewer queries meet more keys."""
    if columns is not None:
        return columns * QUERIES // KEYS, columns
    rows = max(1, min(queries, QUERIES))
    return rows, QUERIES * KEYS // rows


def _heads_together(problem: Problem, rows: int, columns: int) -> tuple[Array, Array]:
    xp = problem.xp
    results = [
        finish(xp, _usual_way(problem, some, columns))
        for some in slices(problem.query.shape[-2], rows)
    ]
    if len(results) == 1:
        return results[0]
    outputs, log_sums = zip(*results, strict=True)
    return xp.concat(outputs, axis=-2), xp.concat(log_sums, axis=-1)


def _usual_way(problem: Problem, rows: slice, columns: int) -> Sums:
    sums = sums_before(problem)
    for some in slices(problem.key.shape[-2], columns):
        tile = cut(problem, rows, some)
        if some.start == 0 or not is_hidden(tile):
            sums = absorb(problem.xp, sums, masked_scores(tile), tile.value)
    return sums


def _short_way(
    problem: Problem,
    ready: Bounded,
    memory: Memory,
    place: Place,
    rows: slice,
    columns: int,
) -> bool:
    """Fill the place of some queries; False if the sums came too near to a limit."""
    xp, total = problem.xp, place.log_sum
    place.empty()
    for some in slices(problem.key.shape[-2], columns):
        seeing = _seeing(problem, rows, some)
        tile = cut(problem, seeing, some)
        if not is_hidden(tile):
            add_tile(xp, ready, memory, place, visible(tile), seeing, some)
            if lost(xp, ready, total) == total.shape[0]:
                return False  # so it will go on: the bound is far too high
    if lost(xp, ready, total) or not xp.isfinite(place.output).all():
        return False
    finish_in_place(xp, ready, place, rows)
    return True


def _seeing(problem: Problem, rows: slice, columns: slice) -> slice:
    """Return those of the queries that the diagonal lets see any of the keys."""
    if problem.diagonal is None:
        return rows
    first = columns.start - problem.diagonal
    return slice(min(max(rows.start, first), rows.stop), rows.stop)


def slices(length: int, size: int) -> Iterator[slice]:
    """Return the slices of at most `size` that make up a length; one if it is 0."""
    for start in range(0, max(length, 1), size):
        yield slice(start, min(start + size, length))


def cut(problem: Problem, rows: slice, columns: slice) -> Problem:
    """Return the problem of some of the queries and some of the keys."""
    offset = problem.diagonal
    if offset is not None:
        offset += rows.start - columns.start
        if columns.stop - columns.start - 1 <= offset:
            offset = None  # the first query sees every key, so all do
    return problem._replace(
        query=problem.query[..., rows, :],
        key=problem.key[..., columns, :],
        value=problem.value[..., columns, :],
        mask=_mask_of(problem, rows, columns),
        rule=None,
        bias=_part(problem.bias, rows, columns),
        diagonal=offset,
    )


def is_hidden(tile: Problem) -> bool:
    """Tell whether every key of a tile is known to be hidden from every query."""
    if tile.query.shape[-2] + (tile.diagonal or 0) <= 0:
        return True
    return tile.mask is not None and known_to_hold(~tile.xp.any(tile.mask))


def _mask_of(problem: Problem, rows: slice, columns: slice) -> Array | None:
    if problem.rule is None:
        return _part(problem.mask, rows, columns)
    xp, device = home(problem.query)
    query_position = xp.arange(rows.start, rows.stop, device=device)
    key_position = xp.arange(columns.start, columns.stop, device=device)
    return problem.rule(query_position[:, None], key_position)


def _part(array: Array | None, rows: slice, columns: slice) -> Array | None:
    """Return the part of a mask or bias, whose axes may have length 1 or be missing."""
    if array is None or array.ndim == 0:
        return array
    if array.shape[-1] != 1:
        array = array[..., columns]
    if array.ndim > 1 and array.shape[-2] != 1:
        array = array[..., rows, :]
    return array


def head(problem: Problem, leading: Shape, index: tuple[int, ...]) -> Problem:
    """Return the problem of one head of one sequence, without leading axes."""

    def own(array: Array | None) -> Array | None:
        if array is None or array.ndim <= 2:
            return array
        *batches, heads, _, _ = array.shape
        own_batch = index[-1 - len(batches) : -1]
        here = (i % size for i, size in zip(own_batch, batches, strict=True))
        return array[(*here, index[-1] * heads // leading[-1])]

    rule = problem.rule
    return problem._replace(
        query=own(problem.query),
        key=own(problem.key),
        value=own(problem.value),
        mask=own(problem.mask),
        rule=None if rule is None else lambda *positions: own(rule(*positions)),
        bias=own(problem.bias),
        sink=own(problem.sink),
    )
