"""A shorter way through large problems in NumPy: a bound in place of the maximum.

No score is above the length of its query times the length of the longest key
(Cauchy and Schwarz). As a rule the bound is so low that exponentials of the scores as
they are cannot overflow, and nothing has to be subtracted, compared or rescaled.
Where it is higher, what it is too high by is subtracted. Where it is so far off that
the sums come near to underflow, the usual way has to be taken.
"""

import math
from typing import NamedTuple

from attention_ref._arrays import Array, Namespace
from attention_ref._problem import Problem
from attention_ref._softmax import logarithm

HIGHEST = 32.0
"""Scores in units of base 2 may be as high: 2**32 is far from overflow."""

LEAST_TOTAL = 2.0**-64
"""Sums above it have lost nothing: what underflows is below 2**-60 of them."""


class Bounded(NamedTuple):
    """One head, ready: the sums are in `exp2(query @ key.T - shift) @ value`."""

    query: Array
    """`(queries, width)`, scaled, in units of base 2."""
    key: Array
    value: Array
    shift: Array | None
    """`(queries, 1)`, in units of base 2; None if nothing has to be subtracted."""


def bounded(problem: Problem) -> Bounded | None:
    """Prepare the problem of one head; None if more than a product makes its scores."""
    xp, extras = problem.xp, (problem.bias, problem.softcap, problem.sink)
    if any(extra is not None for extra in extras):
        return None
    query, key = problem.query, problem.key
    query = query * (problem.scale * math.log2(math.e))
    query = query.astype(key.dtype, copy=False)
    bound = _lengths(xp, query) * xp.max(_lengths(xp, key), initial=0.0)
    highest = xp.max(bound, initial=0.0)
    shift = None if highest <= HIGHEST else xp.maximum(bound - HIGHEST, 0.0)
    return Bounded(query, key, problem.value, shift)


def _lengths(xp: Namespace, vectors: Array) -> Array:
    return xp.sqrt(xp.vecdot(vectors, vectors))[:, None]


class Memory(NamedTuple):
    """Room for one tile, used again by the next: fresh pages would cost a tenth."""

    terms: Array
    products: Array


def memory_for(problem: Problem, rows: int, columns: int) -> Memory:
    """Take enough memory for tiles of so many queries and keys."""
    queries, keys = problem.query.shape[-2], problem.key.shape[-2]
    rows, columns = min(rows, queries), min(columns, keys)
    sizes = rows * columns, rows * problem.value.shape[-1]
    empty, dtype = problem.xp.empty, problem.query.dtype
    return Memory(*(empty(size, dtype=dtype) for size in sizes))


class Place(NamedTuple):
    """Where the results for some queries go; the sums are made there, in place."""

    output: Array
    """`(queries, value_width)`."""
    log_sum: Array
    """`(queries,)`."""

    def empty(self) -> None:
        """Have summed nothing."""
        self.output[...] = self.log_sum[...] = 0.0


def add_tile(
    xp: Namespace,
    ready: Bounded,
    memory: Memory,
    place: Place,
    masks: list[Array],
    rows: slice,
    columns: slice,
) -> None:
    """Add what some of the keys contribute to some of the queries, the last ones."""
    terms = _product(xp, ready.query[rows], ready.key[columns].T, memory.terms)
    if ready.shift is not None:
        terms -= ready.shift[rows]
    xp.exp2(terms, out=terms)
    for mask in masks:
        xp.multiply(terms, mask, out=terms)
    first = place.log_sum.shape[0] - terms.shape[0]
    place.log_sum[first:] += terms @ xp.ones(terms.shape[1], dtype=terms.dtype)
    place.output[first:] += _product(xp, terms, ready.value[columns], memory.products)


def _product(xp: Namespace, left: Array, right: Array, room: Array) -> Array:
    shape = left.shape[0], right.shape[1]
    return xp.matmul(left, right, out=xp.reshape(room[: math.prod(shape)], shape))


def lost(xp: Namespace, ready: Bounded, total: Array) -> int:
    """Count the queries for which subtracting the bound left too little to sum."""
    if ready.shift is None:
        return 0
    return int(xp.count_nonzero(~(total > LEAST_TOTAL)))  # so that NaN counts too


def finish_in_place(xp: Namespace, ready: Bounded, place: Place, rows: slice) -> None:
    """Turn the sums into the output and the log-sum-exp."""
    output, total = place
    xp.divide(output, xp.where(total == 0, 1.0, total)[:, None], out=output)
    shift = 0.0 if ready.shift is None else ready.shift[rows, 0] * math.log(2)
    place.log_sum[...] = logarithm(xp, total, shift)
