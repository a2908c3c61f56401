"""Random attention problems, their exact answer, and how far from it one may be.

The answer comes from torch's fused function in float64. For float64 problems that is
no better than what it judges: there the definition in 80-bit numbers decides, and
torch is judged too.

The error allowed follows from the arithmetic, not from what we happen to reach. A
score is a sum whose terms have absolute values that add up to A, so rounding moves it
by about A units, and a weight by as many; a weighted mean can lose that, times the
mean of |value|.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import torch

UNIT = {"float64": 2.0**-53, "float32": 2.0**-24}
"""Half the distance from 1 to the next number."""

COUNT = 2000
"""How many problems of each dtype there are: one for each seed below it."""

FACTOR = 4
"""How many times the rounding of the scores and of the weights may show."""

NARROW_ULPS = 0.505
"""One rounding to nearest costs half a unit in the last place; 1 % is for the rest."""

SHAPES = [
    # batch, query heads, key heads, queries, keys, width, value width
    (1, 1, 1, 1, 1, 1, 1),
    (2, 3, 3, 5, 5, 7, 7),
    (2, 3, 3, 5, 11, 7, 13),
    (1, 4, 2, 7, 7, 8, 5),
    (3, 6, 2, 3, 13, 4, 2),
    (2, 4, 1, 11, 5, 3, 3),
    (1, 8, 2, 1, 17, 16, 16),
    (2, 2, 2, 13, 13, 64, 32),
    (1, 2, 1, 31, 61, 11, 3),
    (5, 1, 1, 2, 3, 128, 1),
    (1, 3, 3, 37, 37, 5, 5),
    (1, 2, 2, 64, 64, 16, 16),
    (1, 2, 1, 1031, 521, 5, 3),  # longer than what is computed at once
]


@dataclass(frozen=True)
class RandomProblem:
    """One problem, its numbers exact in the dtype it was made for."""

    dtype: str
    query: np.ndarray
    key: np.ndarray
    value: np.ndarray
    mask: np.ndarray | None
    bias: np.ndarray | None
    causal: str | None
    scale: float | None

    @property
    def options(self) -> dict[str, Any]:
        """The keyword arguments of our functions."""
        return {
            "mask": self.mask,
            "bias": self.bias,
            "causal": self.causal,
            "scale": self.scale,
        }

    def visible(self) -> np.ndarray:
        """Which query may see which key, mask and causal together."""
        *_, queries, _ = self.query.shape
        keys = self.key.shape[-2]
        shape = (*self.query.shape[:-1], keys)
        visible = np.broadcast_to(True if self.mask is None else self.mask, shape)
        if self.causal is None:
            return visible
        diagonal = keys - queries if self.causal == "lower-right" else 0
        return visible & np.tri(queries, keys, diagonal, dtype=np.bool_)

    def exact(self) -> tuple[np.ndarray, np.ndarray]:
        """The output, and the mean of |value| under the same weights."""
        answer = self.in_80_bits if self.dtype == "float64" else self.by_torch
        return answer(self.value), answer(np.abs(self.value))

    def by_torch(self, value: np.ndarray) -> np.ndarray:
        """The output by torch's fused function in float64."""
        bias = np.where(self.visible(), 0.0, -np.inf)
        if self.bias is not None:
            bias = bias + self.bias.astype(np.float64)
        query, key, value, bias = (
            torch.from_numpy(np.ascontiguousarray(array, dtype=np.float64))
            for array in (self.query, self.key, value, bias)
        )
        return torch.nn.functional.scaled_dot_product_attention(
            query, key, value, attn_mask=bias, scale=self.scale, enable_gqa=True
        ).numpy()

    def in_80_bits(self, value: np.ndarray) -> np.ndarray:
        """The output from the definition, in numbers with 64 bits of precision."""
        group = self.query.shape[-3] // self.key.shape[-3]
        query, key, value = (
            array.astype(np.longdouble) for array in (self.query, self.key, value)
        )
        key, value = (np.repeat(array, group, axis=-3) for array in (key, value))
        width = np.longdouble(self.query.shape[-1])
        scale = 1 / np.sqrt(width) if self.scale is None else self.scale
        scores = scale * np.einsum("...qw,...kw->...qk", query, key)
        if self.bias is not None:
            scores = scores + self.bias.astype(np.longdouble)
        visible = self.visible()
        largest = np.max(scores, axis=-1, keepdims=True)
        terms = np.where(visible, np.exp(scores - largest), 0)
        total = np.sum(terms, axis=-1, keepdims=True)
        weights = terms / np.where(total == 0, 1, total)
        return np.einsum("...qk,...kv->...qv", weights, value).astype(np.float64)

    def allowed_error(self, size: np.ndarray) -> np.ndarray:
        """How far each number of the output may be from the exact one."""
        sums = self.largest_sum_of_terms()
        if self.dtype in UNIT:
            unit = UNIT[self.dtype]
            return ulp(size, self.dtype) + FACTOR * (1 + sums) * unit * size
        computing = FACTOR * (1 + sums) * 2.0**-24 * size
        return NARROW_ULPS * ulp(size, self.dtype) + computing

    def largest_sum_of_terms(self) -> float:
        """The largest sum of the absolute values that one score is made of."""
        group = self.query.shape[-3] // self.key.shape[-3]
        query, key = (
            np.abs(array.astype(np.float64)) for array in (self.query, self.key)
        )
        key = np.repeat(key, group, axis=-3)
        scale = self.query.shape[-1] ** -0.5 if self.scale is None else self.scale
        sums = abs(scale) * (query @ np.swapaxes(key, -1, -2))
        if self.bias is not None:
            sums = sums + np.abs(self.bias.astype(np.float64))
        return float(np.max(np.where(self.visible(), sums, 0.0), initial=0.0))


def ulp(size: np.ndarray, dtype: str) -> np.ndarray:
    """The distance between neighbouring numbers of the dtype at this size."""
    kind = ml_dtypes.finfo(dtype)
    exponent = np.frexp(np.maximum(size, float(kind.tiny)))[1] - 1
    return np.ldexp(float(kind.eps), exponent)


def random_problem(dtype: str, seed: int) -> RandomProblem:
    """Draw a problem; the same seed draws the same one."""
    rng = np.random.default_rng([seed, len(dtype), ord(dtype[-1])])
    shape = SHAPES[seed % len(SHAPES)]
    batch, heads, key_heads, queries, keys, width, value_width = shape
    # Scores of up to a few hundred: softmax is then nearly one-hot.
    size = rng.choice([0.1, 1.0, 1.0, 5.0])

    def draw(*shape: int) -> np.ndarray:
        return (size * rng.standard_normal(shape)).astype(ml_dtypes.finfo(dtype).dtype)

    has_bias = rng.random() < 0.3
    return RandomProblem(
        dtype=dtype,
        query=draw(batch, heads, queries, width),
        key=draw(batch, key_heads, keys, width),
        value=draw(batch, key_heads, keys, value_width),
        mask=random_mask(rng, batch, heads, queries, keys),
        bias=draw(1, heads, queries, keys) if has_bias else None,
        causal=rng.choice(np.asarray([None, None, "upper-left", "lower-right"])),
        scale=rng.choice(np.asarray([None, None, 1.0, 0.0, -0.5])),
    )


def random_mask(
    rng: np.random.Generator, batch: int, heads: int, queries: int, keys: int
) -> np.ndarray | None:
    """Draw one of the masks in use, or none, or a random one, with rows left empty."""
    query, key = np.arange(queries)[:, None], np.arange(keys)[None, :]
    position = query + keys - queries
    lengths = rng.integers(0, keys + 1, size=(batch, 1, 1, 1))
    documents = np.sort(rng.integers(0, 3, size=max(queries, keys)))
    masks = {
        "none": None,
        "random": rng.random((batch, heads, queries, keys)) < 0.7,
        "sparse": rng.random((1, 1, queries, keys)) < 0.1,
        "window": (key >= position - 2) & (key <= position + 1),
        "padding": key < lengths,
        "prefix": (key < keys // 3) | (key <= position),
        "documents": documents[:queries, None] == documents[None, :keys],
        "padded window": (np.abs(key - position) <= 3) & (key < lengths),
        "empty rows": np.broadcast_to(query % 2 == 0, (queries, keys)),
    }
    return masks[rng.choice(list(masks))]
