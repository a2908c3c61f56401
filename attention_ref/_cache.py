"""A key-value cache: keep what was computed for earlier tokens."""

from dataclasses import dataclass, replace
from typing import Self

from attention_ref._arrays import Array, home, namespace
from attention_ref._checks import (
    check_appended,
    check_cached_query,
    check_chunk_lengths,
    check_window,
)
from attention_ref._dot_product import scaled_dot_product_attention
from attention_ref._position_masks import position_mask


@dataclass(frozen=True)
class KeyValueCache:
    """The keys and values of all tokens so far, each with its position.

    A cache never changes: `append` returns a new one. Attending step by step then
    gives what one causal pass over the whole sequence gives.

    Example:
        >>> import numpy as np
        >>> x = np.arange(8.0).reshape(1, 4, 2)
        >>> cache, steps = KeyValueCache(), []
        >>> for step in range(4):
        ...     token = x[:, step : step + 1]
        ...     cache = cache.append(token, token)
        ...     steps.append(cache.attend(token))
        >>> whole = scaled_dot_product_attention(x, x, x, causal=True)
        >>> np.allclose(np.concatenate(steps, axis=1), whole)
        True

    References:
        Shazeer (2019), *Fast transformer decoding*, section 2.4.
    """

    left: int | None = None
    """How many keys before its own position a query may see; `None` is all. Older
    keys are dropped, so that the cache stops growing."""
    key: Array = None
    """`(..., key_heads, slots, width)`. `None` while nothing was appended."""
    value: Array = None
    """`(..., key_heads, slots, value_width)`."""
    positions: Array = None
    """`(..., slots)`. The position of the token in each slot; -1 if there is none."""
    lengths: Array = None
    """`(...,)`. How many tokens each sequence has seen, dropped ones included."""

    def __post_init__(self) -> None:
        check_window("KeyValueCache", self.left, None)

    def append(self, key: Array, value: Array, *, lengths: Array | None = None) -> Self:
        """Return a cache that holds these tokens too.

        Args:
            key: `(..., key_heads, length, width)`. Any number of tokens: one when
                decoding, many when a prompt is filled in, at once or in chunks.
            value: `(..., key_heads, length, value_width)`.
            lengths: `(...,)`, integers. How many of the tokens are real, for each
                sequence of the batch; the others are padding at the end. `None`: all.

        Returns:
            The new cache. This one stays as it is.

        Raises:
            ShapeError: If the arrays do not fit each other, or what is stored.
            TypeError: If an array or its dtype does not fit.
            ValueError: If a length is negative or larger than what is appended.
        """
        check_appended("append", key, value, self.key, self.value)
        length = key.shape[-2]
        positions = self._positions_of_next(key, length)
        if lengths is None:
            added = length
        else:
            check_chunk_lengths("append", lengths, key)
            xp, device = home(key)
            real = xp.arange(length, device=device) < lengths[..., None]
            positions, added = xp.where(real, positions, -1), lengths
        seen = self._lengths_or_zeros(key) + added
        new = replace(self, key=key, value=value, positions=positions, lengths=seen)
        return new if self.key is None else new._behind(self._kept())

    def next_positions(self, length: int) -> Array:
        """Return the positions of the tokens that are appended next.

        Rotate them with `rotary_embedding(x, cache.next_positions(length), ...)`
        before they are appended.

        Args:
            length: How many tokens.

        Returns:
            `(..., 1, length)`: the axis of length 1 is for heads. `(length,)`, in
            NumPy, while the cache is empty.
        """
        if self.lengths is None:
            return home(None)[0].arange(length)
        xp, device = home(self.lengths)
        return self.lengths[..., None, None] + xp.arange(length, device=device)

    def attend(
        self,
        query: Array,
        *,
        bias: Array | None = None,
        scale: float | None = None,
        softcap: float | None = None,
        sink: Array | float | None = None,
    ) -> Array:
        """Let the tokens appended last attend to all that the cache holds.

        Each sees itself and what came before, as far as `left` goes.

        Args:
            query: `(..., heads, queries, width)`. The queries of the tokens that were
                appended last, in the same order.
            bias: As in `scaled_dot_product_attention`; its keys are the slots.
            scale: As in `scaled_dot_product_attention`, like all that follow.
            softcap: Squeezes the scaled scores.
            sink: One more score per head, without a value.

        Returns:
            `(..., heads, queries, value_width)`.

        Raises:
            ShapeError: If the shapes do not go together.
            TypeError: If an array or its dtype does not fit.
            ValueError: If an option is no valid choice, or the cache is empty.

        Note:
            A query of padding gets zeros.
        """
        check_cached_query("attend", query, self.positions)
        queries = self.positions[..., self.positions.shape[-1] - query.shape[-2] :]
        return scaled_dot_product_attention(
            query,
            self.key,
            self.value,
            mask=position_mask(queries, self.positions, left=self.left),
            bias=bias,
            scale=scale,
            softcap=softcap,
            sink=sink,
        )

    def _positions_of_next(self, key: Array, length: int) -> Array:
        xp, device = home(key)
        steps = xp.arange(length, device=device)
        return self._lengths_or_zeros(key)[..., None] + steps

    def _lengths_or_zeros(self, key: Array) -> Array:
        if self.lengths is not None:
            return self.lengths
        xp, device = home(key)
        integers = xp.arange(0, device=device).dtype
        return xp.zeros(tuple(key.shape[:-3]), dtype=integers, device=device)

    def _kept(self) -> Self:
        """Keep the newest `left` tokens of each sequence: the only ones still seen."""
        slots = self.positions.shape[-1]
        if self.left is None or slots <= self.left:
            return self
        xp = namespace(self.key)
        newest = xp.argsort(self.positions, axis=-1)[..., slots - self.left :]
        across = newest[..., None, :, None]
        return replace(
            self,
            key=xp.take_along_axis(self.key, across, axis=-2),
            value=xp.take_along_axis(self.value, across, axis=-2),
            positions=xp.take_along_axis(self.positions, newest, axis=-1),
        )

    def _behind(self, earlier: Self) -> Self:
        """Put the slots of this cache behind earlier ones."""
        xp = namespace(self.key)
        return replace(
            self,
            key=xp.concat([earlier.key, self.key], axis=-2),
            value=xp.concat([earlier.value, self.value], axis=-2),
            positions=xp.concat([earlier.positions, self.positions], axis=-1),
        )
