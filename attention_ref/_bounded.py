"""A shorter way through large problems in NumPy: a bound in place of the maximum.

No score is above the length of its query times the length of the longest key
(Cauchy and Schwarz). Subtracting that bound, instead of the largest score, keeps the
exponentials from overflowing too, and it is known beforehand: it fits into the matrix
product as one more column, and nothing has to be rescaled later. Where the bound is
so far off that the sums come near to underflow, the usual way has to be taken.
"""

import math
from typing import NamedTuple

from attention_ref._arrays import Array, Namespace, is_numpy
from attention_ref._core import Sums
from attention_ref._problem import Problem

LEAST_TOTAL = 2.0**-64
"""Sums above it have lost nothing: what underflows is below 2**-60 of them."""


class Bounded(NamedTuple):
    """One head, ready so that `exp2(query @ key.T) @ value` has all the sums."""

    query: Array
    """`(queries, width + 1)`, in units of base 2; last, the bound to subtract."""
    key: Array
    """`(keys, width + 1)`; last, a column of ones."""
    value: Array
    """`(keys, value_width + 1)`; last, a column of ones, which makes the total."""
    bound: Array
    """`(queries, 1)`, in units of base e."""


def bounded(problem: Problem) -> Bounded | None:
    """Prepare the problem of one head; None if there can be no such bound."""
    extras = (problem.bias, problem.softcap, problem.sink)
    xp = problem.xp
    if not is_numpy(xp) or any(extra is not None for extra in extras):
        return None
    query, key, value = problem.query, problem.key, problem.value
    query = (query * problem.scale).astype(query.dtype, copy=False)
    longest = xp.max(_lengths(xp, key), initial=0.0)
    bound = _lengths(xp, query) * longest
    if not (xp.isfinite(bound).all() and xp.isfinite(value).all()):
        return None
    one = xp.ones((key.shape[0], 1), dtype=key.dtype)
    return Bounded(
        xp.concat([query, -bound], axis=1) * query.dtype.type(math.log2(math.e)),
        xp.concat([key, one], axis=1),
        xp.concat([value, one], axis=1),
        bound,
    )


def _lengths(xp: Namespace, vectors: Array) -> Array:
    return xp.sqrt(xp.sum(vectors * vectors, axis=1, keepdims=True))


def add_tile(
    xp: Namespace,
    ready: Bounded,
    sums: Array,
    masks: list[Array],
    rows: slice,
    columns: slice,
) -> None:
    """Add what some of the keys contribute to some of the queries."""
    terms = ready.query[rows] @ ready.key[columns].T
    xp.exp2(terms, out=terms)
    for mask in masks:
        xp.multiply(terms, mask, out=terms)
    sums += terms @ ready.value[columns]


def is_large_enough(sums: Array) -> Array:
    """Tell, for each query, whether its total is far from underflow."""
    return sums[:, -1:] > LEAST_TOTAL


def as_sums(ready: Bounded, sums: Array, rows: slice) -> Sums:
    """Return the sums as the usual way has them."""
    return Sums(ready.bound[rows], sums[:, -1:], sums[:, :-1], 0.0)
