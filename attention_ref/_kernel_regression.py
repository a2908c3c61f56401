"""Kernel regression: attention whose scores are distances."""

from attention_ref._additive import average_by_scores
from attention_ref._arrays import Array, computing_dtype, namespace, quiet
from attention_ref._checks import (
    check_arrays,
    check_floating,
    check_mask,
    check_number,
    check_pairwise,
    check_same_width,
    common_dtype,
)


def kernel_regression(
    query: Array,
    key: Array,
    value: Array,
    *,
    bandwidth: float = 1.0,
    mask: Array | None = None,
) -> Array:
    r"""Average the values near the query, weighting them by a Gaussian of distance.

    $$ o_i = \sum_j w_{ij} v_j, \qquad
       w_{ij} \propto \exp\!\left(-\frac{\lVert q_i - k_j \rVert^2}{2 h^2}\right) $$

    Args:
        query: `(..., queries, width)`. Where to estimate.
        key: `(..., keys, width)`. Where something was observed.
        value: `(..., keys, value_width)`. What was observed there.
        bandwidth: The standard deviation of the Gaussian. Small ones follow the
            nearest observation, large ones approach the mean.
        mask: `(..., queries, keys)`, boolean. `True` where a query may see a key.

    Returns:
        `(..., queries, value_width)`.

    Raises:
        ShapeError: If the shapes do not go together, or `mask` does not broadcast.
        TypeError: If an array or its dtype does not fit.
        ValueError: If `bandwidth` is not a positive finite number.

    Note:
        Computed in at least float32, rounded once. Far from every observation the
        nearest one wins: nothing underflows to 0 / 0. A query that may see no key gets
        zeros.

    Example:
        >>> import numpy as np
        >>> key = np.asarray([[0.0], [1.0]])
        >>> value = np.asarray([[10.0], [20.0]])
        >>> kernel_regression(np.asarray([[0.5], [100.0]]), key, value)
        array([[15.],
               [20.]])

    References:
        Nadaraya (1964) and Watson (1964); Zhang et al., *Dive into deep learning*,
        section 11.2.
    """
    name = "kernel_regression"
    inputs = {"query": query, "key": key, "value": value}
    check_arrays(name, {**inputs, "mask": mask})
    check_floating(name, inputs)
    shape = check_pairwise(name, query, key, value)
    check_same_width(name, query, key)
    check_number(name, "bandwidth", bandwidth, positive=True, optional=False)
    check_mask(name, mask, shape)
    xp = namespace(query)
    dtype = common_dtype(name, inputs)
    wide = computing_dtype(xp, dtype)
    with quiet(xp):
        queries = xp.astype(query, wide)[..., :, None, :]
        keys = xp.astype(key, wide)[..., None, :, :]
        steps = (queries - keys) / bandwidth
        scores = -0.5 * xp.sum(steps * steps, axis=-1)
        return average_by_scores(xp, scores, value, mask, dtype)
