"""What the exercises have in common: their numbers, and the steps of attention."""

from __future__ import annotations

from typing import Any

import numpy as np

import attention_ref

Matrix = np.ndarray[Any, Any]


def numbers(*shape: int) -> Matrix:
    """Return numbers that are the same each time, and in no order."""
    return np.random.default_rng(sum(shape)).normal(size=shape)


def raw(query: Matrix, key: Matrix) -> Matrix:
    """Return the dot products, not scaled."""
    products: Matrix = query @ np.swapaxes(key, -1, -2)
    return products


def scaled(query: Matrix, key: Matrix) -> Matrix:
    """Return the dot products over the square root of the width."""
    scores: Matrix = raw(query, key) / np.sqrt(query.shape[-1])
    return scores


def weights(scores: Matrix, axis: int = -1) -> Matrix:
    """Return the weights; the reference, under a short name."""
    result: Matrix = attention_ref.softmax(scores, axis=axis)
    return result


def attend(scores: Matrix, value: Matrix) -> Matrix:
    """Return the values, averaged by the weights of the scores."""
    return weights(scores) @ value


def naive(scores: Matrix) -> Matrix:
    """Return the weights, computed as the formula stands."""
    share: Matrix = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    return share


def shifted(scores: Matrix) -> Matrix:
    """Return the weights, computed without overflow; NaN where all scores are -inf."""
    return naive(scores - scores.max(axis=-1, keepdims=True))


def masked(scores: Matrix, mask: Matrix, hidden: float = -np.inf) -> Matrix:
    """Return the weights when hidden scores are replaced before softmax."""
    return shifted(np.where(mask, scores, hidden))


def split(x: Matrix, heads: int) -> Matrix:
    """Cut the width into heads; the reference, under a short name."""
    result: Matrix = attention_ref.split_heads(x, heads)
    return result


def merge(x: Matrix) -> Matrix:
    """Put the heads side by side again; the reference, under a short name."""
    result: Matrix = attention_ref.merge_heads(x)
    return result


def reshaped(x: Matrix, heads: int) -> Matrix:
    """Return the shape of split heads, with the numbers in the wrong places."""
    *batch, length, width = x.shape
    return x.reshape(*batch, heads, length, width // heads)


def interleaved(x: Matrix, heads: int) -> Matrix:
    """Return heads that take every so many-th number."""
    *batch, length, width = x.shape
    return np.moveaxis(x.reshape(*batch, length, width // heads, heads), -1, -3)
