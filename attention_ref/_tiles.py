"""Cut one attention problem into smaller ones, and put the results together."""

import math
from collections.abc import Iterator
from itertools import product

from attention_ref._arrays import Array, Shape, home, is_numpy, known_to_hold
from attention_ref._bounded import Bounded, add_tile, as_sums, bounded, is_large_enough
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

BLOCK = 256
"""Keys in a tile; with four times as many queries its scores fit into a cache."""

TALL = 4
"""Queries for each key of a tile: OpenBLAS cuts tall products into rows only, and its
threads wait less for each other than in square ones."""


def attend_by_size(problem: Problem) -> tuple[Array, Array]:
    """Return output and log-sum-exp; NumPy takes large problems in tiles.

    NumPy works through a matrix once for each operation, and only in a tile are the
    scores still in the cache when the next one comes.
    """
    shape = scores_shape(problem.query, problem.key, problem.value)
    if not is_numpy(problem.xp) or math.prod(shape) <= TALL * BLOCK * BLOCK:
        return attend(problem)
    return attend_in_tiles(problem, BLOCK)


def attend_in_tiles(problem: Problem, columns: int) -> tuple[Array, Array]:
    """Return output and log-sum-exp, taking so many keys at once.

    NumPy takes one head at a time, so that a tile stays in the cache; the others
    take all heads together, so that there is enough to do at once.
    """
    xp = problem.xp
    if not is_numpy(xp):
        return _heads_together(problem, columns)
    leading = scores_shape(problem.query, problem.key, problem.value)[:-2]
    results = [
        _heads_together(head(problem, leading, index), columns)
        for index in product(*map(range, leading))
    ]
    if not results:
        return attend(problem)
    outputs, log_sums = zip(*results, strict=True)
    return (
        xp.reshape(xp.stack(outputs), (*leading, *outputs[0].shape)),
        xp.reshape(xp.stack(log_sums), (*leading, *log_sums[0].shape)),
    )


def _heads_together(problem: Problem, columns: int) -> tuple[Array, Array]:
    xp = problem.xp
    ready = bounded(problem)
    results = []
    for some in slices(problem.query.shape[-2], TALL * columns):
        sums = None if ready is None else _short_way(problem, ready, some, columns)
        results.append(finish(xp, sums or _usual_way(problem, some, columns)))
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
    problem: Problem, ready: Bounded, rows: slice, columns: int
) -> Sums | None:
    shape = rows.stop - rows.start, ready.value.shape[1]
    sums = problem.xp.zeros(shape, dtype=ready.value.dtype)
    for some in slices(problem.key.shape[-2], columns):
        tile = cut(problem, rows, some)
        if not is_hidden(tile):
            add_tile(problem.xp, ready, sums, visible(tile), rows, some)
            if not is_large_enough(sums).any():
                return None  # so it will go on: the bound is far too high
    return as_sums(ready, sums, rows) if is_large_enough(sums).all() else None


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
    if tile.diagonal is not None and tile.query.shape[-2] - 1 + tile.diagonal < 0:
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
        heads = array.shape[-3]
        everywhere = problem.xp.broadcast_to(array, (*leading[:-1], *array.shape[-3:]))
        return everywhere[(*index[:-1], index[-1] // (leading[-1] // heads))]

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
