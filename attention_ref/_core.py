"""Attention itself: scores, weights, and the average of the values."""

import math
from collections.abc import Iterator
from typing import NamedTuple

from attention_ref._arrays import Array, Namespace, device_of, in_place, matmul_by_group
from attention_ref._masks import visible_by_diagonal
from attention_ref._problem import Problem
from attention_ref._softmax import divide, exponentials, logarithm
from attention_ref._values import weighted_sum


def score_steps(problem: Problem) -> Iterator[Array]:
    """Compare every query with every key: scale, softcap, bias, mask, in this order."""
    xp = problem.xp
    scores = matmul_by_group(xp, problem.query, xp.matrix_transpose(problem.key))
    yield +scores  # a copy in NumPy, where the next line overwrites it
    scores = in_place(xp, xp.multiply, scores, problem.scale)
    yield scores
    if problem.softcap is not None:
        scores = problem.softcap * xp.tanh(scores / problem.softcap)
    yield scores
    if problem.bias is not None:
        scores = scores + problem.bias
    yield scores
    for mask in visible(problem):
        scores = xp.where(mask, scores, -math.inf)
    yield scores


def visible(problem: Problem) -> list[Array]:
    """Return the masks that must all allow a key: the caller's, and the causal one."""
    masks = [] if problem.mask is None else [problem.mask]
    if problem.diagonal is not None:
        lengths = problem.query.shape[-2], problem.key.shape[-2]
        device = device_of(problem.query)
        masks.append(
            visible_by_diagonal(problem.xp, *lengths, problem.diagonal, device)
        )
    return masks


def masked_scores(problem: Problem) -> Array:
    """Return the last of these steps."""
    for scores in score_steps(problem):
        last = scores  # the steps before are let go of: each is as large
    return last


def weights_from(problem: Problem, scores: Array) -> Array:
    """Return the weights: the softmax of the masked scores."""
    xp, sink = problem.xp, problem.sink
    parts = exponentials(xp, scores, floor=sink)
    total = parts.total if sink is None else parts.total + xp.exp(sink - parts.shift)
    return xp.astype(divide(xp, parts.terms, total), problem.dtype)


class Sums(NamedTuple):
    """What the softmax needs of the keys met so far, in units of `exp(largest)`."""

    largest: Array | None
    """The largest score so far; `None` before the first."""
    total: Array | float
    """The sum of the exponentials of the scores."""
    values: Array | float
    """The sum of the values, each times its exponential."""
    extremes: Array | float
    """NaN or an infinity where a visible value held it, else 0."""


NOTHING = Sums(None, 0.0, 0.0, 0.0)


def sums_before(problem: Problem) -> Sums:
    """Return what stands in the sums before any key: a sink, or nothing."""
    return NOTHING if problem.sink is None else Sums(problem.sink, 1.0, 0.0, 0.0)


def absorb(xp: Namespace, sums: Sums, scores: Array, value: Array) -> Sums:
    """Let more keys, by their scores and values, into the sums: the online softmax."""
    parts = exponentials(xp, scores, floor=sums.largest)
    values, extremes = weighted_sum(xp, parts.terms, scores, value)
    if sums.largest is None:
        return Sums(parts.largest, parts.total, values, extremes)
    fade = xp.exp(sums.largest - parts.shift)
    return Sums(
        parts.largest,
        sums.total * fade + parts.total,
        sums.values * fade + values,
        sums.extremes + extremes,
    )


def finish(xp: Namespace, sums: Sums) -> tuple[Array, Array]:
    """Return the output and the log-sum-exp. The sum is divided, not the weights."""
    output = divide(xp, sums.values, sums.total) + sums.extremes
    return output, logarithm(xp, sums.total, sums.largest)[..., 0]


def attend(problem: Problem) -> tuple[Array, Array]:
    """Return output and log-sum-exp, in the dtype of the computation."""
    xp = problem.xp
    sums = absorb(xp, sums_before(problem), masked_scores(problem), problem.value)
    return finish(xp, sums)
