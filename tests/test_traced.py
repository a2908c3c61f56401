"""What traces a function, jax.jit and torch.compile, accepts all of them."""

import numpy as np
import pytest
import torch
from array_libraries import Library, to_numpy

import attention_ref as ar

DOCUMENTS = np.asarray([[0, 0, 1, 1, 1, 2]] * 2)
SQUARE, ONES = np.eye(8), np.ones(8)
LENGTHS = np.asarray([3, 6])


def decoded(x, _):
    """Attend in two chunks."""
    cache = ar.KeyValueCache(left=3)
    for some in (slice(0, 4), slice(4, 6)):
        chunk = x[:, :, some]
        cache = cache.append(chunk, chunk)
        output = cache.attend(chunk)
    return output


def packed(x, lib):
    """Attend within documents, a window and a prefix."""
    mask = ar.document_mask(lib(DOCUMENTS))
    mask = mask & ar.sliding_window_mask(6, left=2, right=0, like=x)
    mask = mask | ar.prefix_mask(2, 6, like=x)
    return ar.scaled_dot_product_attention(x, x, x, mask=mask)


def placed(x, lib):
    """Add encodings of positions within documents, and count real tokens."""
    positions = ar.positions_from_documents(lib(DOCUMENTS))
    counted = ar.positions_from_mask(lib(DOCUMENTS) > 0)
    encoded = ar.sinusoidal_positions(positions + counted, 8, like=x)
    return x + encoded[:, None]


def layered(x, lib):
    """Attend with two heads."""
    projections = ar.HeadProjections(*[lib(SQUARE)] * 4)
    return ar.multi_head_attention(x, x, x, projections, num_heads=2, causal=True)


def added(x, lib):
    """Attend additively."""
    projections = ar.AdditiveProjections(lib(SQUARE), lib(SQUARE), lib(ONES))
    return ar.additive_attention(x, x, x, projections)


def merged(x, _):
    """Merge two results."""
    parts = [ar.attention_with_log_sum_exp(x, factor * x, x) for factor in (1, 2)]
    return ar.merge_partial_results(*zip(*parts, strict=True))[0]


def near(query, key):
    """Let neighbours see each other."""
    return abs(query - key) < 2


ALL = {
    "softmax": lambda x, _: ar.softmax(x),
    "log_sum_exp": lambda x, _: ar.log_sum_exp(x),
    "attention": lambda x, _: ar.scaled_dot_product_attention(
        x, x, x, causal=True, softcap=2.0, sink=0.5, scale=0.3
    ),
    "weights": lambda x, _: ar.attention_weights(x, x, mask=ar.causal_mask(6, like=x)),
    "trace": lambda x, _: ar.trace_attention(x, x, x).output,
    "padding": lambda x, lib: ar.scaled_dot_product_attention(
        x, x, x, mask=ar.padding_mask(lib(LENGTHS), 6)
    ),
    "packed": packed,
    "layered": layered,
    "additive": added,
    "kernel": lambda x, _: ar.kernel_regression(x, x, x),
    "rotary": lambda x, _: ar.rotary_embedding(x, layout="half", width=4),
    "alibi": lambda x, _: ar.scaled_dot_product_attention(
        x, x, x, bias=ar.alibi_bias(4, 6, like=x)
    ),
    "placed": placed,
    "cache": decoded,
    "blockwise": lambda x, _: ar.blockwise_attention(
        x, x, x, mask=near, causal=True, block_size=2
    ),
    "merged": merged,
    "linear": lambda x, lib: ar.linear_attention(
        x, x, x, mask=ar.padding_mask(lib(LENGTHS), 6), causal=True
    ),
}


def traced(name, library):
    """Compile a function of the list for a library."""
    lib = library.module.asarray

    def function(x):
        return ALL[name](x, lib)

    if library.name == "torch":
        torch.compiler.reset()  # its compiled code is counted, up to a limit
        return torch.compile(function, fullgraph=True, backend="eager")
    return pytest.importorskip("jax").jit(function)


@pytest.mark.parametrize("library_name", ["jax", "torch"])
@pytest.mark.parametrize("name", ALL)
def test_a_traced_function_gives_the_same(name, library_name, rng):
    library = Library(library_name, "float64")
    x = rng.standard_normal((2, 4, 6, 8))

    output = traced(name, library)(library.array(x))

    expected = ALL[name](x, np.asarray)
    np.testing.assert_allclose(to_numpy(output), expected, atol=1e-12)


@pytest.mark.parametrize("library_name", ["jax", "torch"])
def test_traced_attention_keeps_hidden_nan_out_and_shows_visible_ones(library_name):
    library = Library(library_name, "float64")
    x = np.zeros((1, 3, 2))
    value = x.copy()
    value[0, 1, 0], value[0, 2, 1] = np.inf, np.nan
    mask = library.booleans([[True, False, False], [True, True, False], [True] * 3])

    def attend(x, value):
        return ar.scaled_dot_product_attention(x, x, value, mask=mask)

    if library_name == "torch":
        attend = torch.compile(attend, fullgraph=True, backend="eager")
    else:
        attend = pytest.importorskip("jax").jit(attend)
    output = to_numpy(attend(library.array(x), library.array(value)))

    inf, nan = np.inf, np.nan
    np.testing.assert_array_equal(output, [[[0, 0], [inf, 0], [inf, nan]]])
