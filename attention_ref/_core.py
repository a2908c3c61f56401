"""Attention itself: scores, weights, and the average of the values."""

import math
from collections.abc import Iterator

from attention_ref._arrays import Array, Namespace, device_of, matmul_by_group
from attention_ref._masks import visible_by_diagonal
from attention_ref._problem import Problem
from attention_ref._softmax import divide, exponentials, logarithm
from attention_ref._values import weighted_sum


def score_steps(problem: Problem) -> Iterator[Array]:
    """Compare every query with every key: scale, softcap, bias, mask, in this order."""
    xp = problem.xp
    scores = matmul_by_group(xp, problem.query, xp.matrix_transpose(problem.key))
    yield scores
    scores = scores * problem.scale
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
        last = scores
    return last


def weights_from(problem: Problem, scores: Array) -> Array:
    """Return the weights: the softmax of the masked scores."""
    parts = exponentials(problem.xp, scores, sink=problem.sink)
    weights = divide(problem.xp, parts.terms, parts.total)
    return problem.xp.astype(weights, problem.dtype)


def average(
    xp: Namespace, scores: Array, value: Array, sink: Array | None = None
) -> tuple[Array, Array]:
    """Return the output and the log-sum-exp. The sum is divided, not the weights."""
    parts = exponentials(xp, scores, sink=sink)
    sums, extremes = weighted_sum(xp, parts.terms, scores, value)
    return divide(xp, sums, parts.total) + extremes, logarithm(xp, parts)[..., 0]


def average_values(problem: Problem, scores: Array) -> tuple[Array, Array]:
    """Return the output, rounded to its dtype, and the log-sum-exp."""
    output, log_sum = average(problem.xp, scores, problem.value, problem.sink)
    return problem.xp.astype(output, problem.dtype), log_sum


def attend(problem: Problem) -> tuple[Array, Array]:
    """Return the output and the log-sum-exp of a whole problem."""
    return average_values(problem, masked_scores(problem))
