"""Every array library gives the same results, and what each of them adds works."""

from __future__ import annotations

import array_api_compat
import numpy as np
import pytest
import torch
from array_libraries import DTYPES, Library, dtype_name, libraries, to_numpy

import attention_ref as ar

BATCH, HEADS, KEY_HEADS, QUERIES, KEYS, WIDTH, VALUE_WIDTH = 2, 6, 3, 5, 11, 7, 13

UNITS = {"float64": 2.0**-53, "float32": 2.0**-24, "float16": 2.0**-11}
UNITS["bfloat16"] = 2.0**-8
"""Half the distance from 1 to the next number."""


def example(seed: int = 0) -> dict[str, np.ndarray]:
    """Arrays with an axis of its own length each, and one row that sees nothing."""
    rng = np.random.default_rng(seed)
    mask = rng.random((BATCH, 1, QUERIES, KEYS)) < 0.7
    mask[1, 0, 2] = False
    return {
        "query": rng.standard_normal((BATCH, HEADS, QUERIES, WIDTH)),
        "key": rng.standard_normal((BATCH, KEY_HEADS, KEYS, WIDTH)),
        "value": rng.standard_normal((BATCH, KEY_HEADS, KEYS, VALUE_WIDTH)),
        "bias": rng.standard_normal((HEADS, QUERIES, KEYS)),
        "sink": rng.standard_normal(HEADS),
        "mask": mask,
    }


def in_library(library: Library, arrays: dict[str, np.ndarray]) -> dict:
    """The same arrays in a library; masks stay boolean."""
    return {
        name: library.booleans(array)
        if array.dtype == np.bool_
        else library.array(array)
        for name, array in arrays.items()
    }


def rounded(dtype: str, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The numbers that the dtype can hold, in float64."""
    narrow = in_library(Library("numpy", dtype), arrays)
    return {name: to_numpy(array) for name, array in narrow.items()}


@pytest.mark.parametrize("library", libraries(), ids=str)
def test_every_library_gives_the_same_trace(library):
    options = {"causal": "lower-right", "softcap": 3.0, "scale": 0.7}
    right = ar.trace_attention(**rounded(library.dtype, example()), **options)
    ours = ar.trace_attention(**in_library(library, example()), **options)

    for step in ours._fields:
        result, reference = getattr(ours, step), getattr(right, step)
        precision = dtype_name(result)
        tolerance = 32 * UNITS[precision]
        np.testing.assert_allclose(
            to_numpy(result), reference, rtol=tolerance, atol=tolerance, err_msg=step
        )


@pytest.mark.parametrize("library", libraries(), ids=str)
def test_results_stay_in_the_library_and_the_dtype(library):
    arrays = in_library(library, example())
    output, log_sum_exp = ar.attention_with_log_sum_exp(**arrays)
    del arrays["value"]
    weights = ar.attention_weights(**arrays)

    for result in (output, log_sum_exp, weights):
        assert type(result) is type(arrays["query"])
    assert dtype_name(output) == dtype_name(weights) == library.dtype
    wide = "float64" if library.dtype == "float64" else "float32"
    assert dtype_name(log_sum_exp) == wide


@pytest.mark.parametrize("library", libraries(dtypes=("float64", "float32")), ids=str)
def test_softmax_is_the_same_along_every_axis(library):
    scores = example()["bias"]
    for axis in (0, 1, 2, -1):
        ours = ar.softmax(library.array(scores), axis=axis)
        right = ar.softmax(scores, axis=axis)
        np.testing.assert_allclose(to_numpy(ours), right, rtol=1e-5)


@pytest.mark.parametrize("library", libraries(dtypes=("float32",)), ids=str)
def test_masks_are_made_for_the_library_of_an_array(library):
    like = library.array([1.0])
    mask = ar.causal_mask(2, 3, alignment="lower-right", like=like)
    padding = ar.padding_mask(library.integers([1, 3]), 3)

    assert type(mask) is type(like)
    assert type(padding) is type(like)
    np.testing.assert_array_equal(to_numpy(mask), [[1, 1, 0], [1, 1, 1]])
    np.testing.assert_array_equal(to_numpy(padding)[:, 0, 0], [[1, 0, 0], [1, 1, 1]])


@pytest.mark.parametrize("name", ["numpy", "torch", "jax", "array_api_strict"])
def test_what_is_masked_may_hold_anything_in_every_library(name):
    library = Library(name, "float32")
    clean = example()
    hidden = ~clean["mask"].all(axis=(0, 1, 2))
    clean["mask"] = np.broadcast_to(~hidden, (QUERIES, KEYS)).copy()
    dirty = {key: array.copy() for key, array in clean.items()}
    dirty["key"][..., hidden, :] = np.nan
    dirty["value"][..., hidden, :] = np.inf

    np.testing.assert_array_equal(
        to_numpy(ar.scaled_dot_product_attention(**in_library(library, dirty))),
        to_numpy(ar.scaled_dot_product_attention(**in_library(library, clean))),
    )


# --- torch's fused function ----------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_torch_gives_the_same_output_in_float64(seed):
    arrays = in_library(Library("torch", "float64"), example(seed))
    del arrays["sink"]
    query, key, value = (arrays[name] for name in ("query", "key", "value"))
    ours = ar.scaled_dot_product_attention(**arrays)
    bias = torch.where(arrays["mask"], arrays["bias"], -torch.inf)

    theirs = torch.nn.functional.scaled_dot_product_attention(
        query, key, value, attn_mask=bias, enable_gqa=True
    )

    torch.testing.assert_close(ours, theirs, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("dtype", DTYPES)
def test_torch_aligns_its_causal_flag_at_the_upper_left(dtype):
    arrays = in_library(Library("torch", dtype), example())
    query, key, value = (arrays[name] for name in ("query", "key", "value"))
    theirs = torch.nn.functional.scaled_dot_product_attention(
        query.double(), key.double(), value.double(), is_causal=True, enable_gqa=True
    )

    ours = ar.scaled_dot_product_attention(query, key, value, causal="upper-left")

    tolerance = 4 * UNITS[dtype]
    torch.testing.assert_close(ours.double(), theirs, rtol=tolerance, atol=tolerance)


# --- Gradients -----------------------------------------------------------------------


def torch_problem() -> tuple[list[torch.Tensor], dict]:
    """Small tensors to differentiate, and the options of the function."""
    arrays = in_library(Library("torch", "float64"), example())
    mask = arrays.pop("mask")[:, :, :3, :4]
    leaves = [
        arrays["query"][:, :2, :3, :2],
        arrays["key"][:, :1, :4, :2],
        arrays["value"][:, :1, :4, :3],
        arrays["bias"][:2, :3, :4],
        arrays["sink"][:2],
    ]
    return [leaf.clone().requires_grad_() for leaf in leaves], {"mask": mask}


@pytest.mark.parametrize("causal", [None, "upper-left", "lower-right"])
def test_torch_gradients_agree_with_differences(causal):
    leaves, options = torch_problem()

    def outputs(query, key, value, bias, sink):
        return ar.attention_with_log_sum_exp(
            query,
            key,
            value,
            bias=bias,
            sink=sink,
            causal=causal,
            softcap=2.0,
            **options,
        )

    assert torch.autograd.gradcheck(outputs, leaves)


def test_torch_gradients_of_gradients_agree_with_differences():
    leaves, options = torch_problem()

    def output(query, key, value):
        return ar.scaled_dot_product_attention(query, key, value, **options)

    assert torch.autograd.gradgradcheck(output, leaves[:3])


def test_jax_gradients_equal_those_of_torch():
    import jax

    leaves, options = torch_problem()
    library = Library("jax", "float64")
    names = ("query", "key", "value", "bias", "sink")
    mask = options["mask"]
    torch_output = ar.scaled_dot_product_attention(
        **dict(zip(names, leaves, strict=True)), mask=mask
    )
    (torch_output**2).sum().backward()

    def loss(*arrays):
        arguments = dict(zip(names, arrays, strict=True))
        mask_there = library.booleans(mask.numpy())
        return (
            ar.scaled_dot_product_attention(**arguments, mask=mask_there) ** 2
        ).sum()

    arrays = [library.array(leaf.detach().numpy()) for leaf in leaves]
    gradients = jax.grad(loss, argnums=tuple(range(len(arrays))))(*arrays)

    for leaf, gradient in zip(leaves, gradients, strict=True):
        np.testing.assert_allclose(gradient, leaf.grad, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", ["torch", "jax"])
def test_gradients_of_an_empty_row_are_zero(name):
    library = Library(name, "float32")
    arrays = in_library(library, example())
    arrays["mask"] = library.booleans(np.arange(QUERIES)[:, None] != np.ones(KEYS))

    gradient = gradient_of_query(name, arrays)

    assert np.all(np.isfinite(gradient))
    assert np.all(gradient[..., 1, :] == 0)
    assert np.any(gradient[..., 0, :] != 0)


@pytest.mark.parametrize("name", ["torch", "jax"])
def test_gradients_are_zero_when_no_row_sees_anything(name):
    library = Library(name, "float32")
    arrays = in_library(library, example())
    del arrays["sink"]
    arrays["mask"] = library.booleans(np.zeros((QUERIES, KEYS)))

    assert np.all(gradient_of_query(name, arrays) == 0)


def gradient_of_query(name: str, arrays: dict) -> np.ndarray:
    """The gradient of the sum of the squared output."""
    arrays = dict(arrays)
    query = arrays.pop("query")
    if name == "torch":
        query = query.clone().requires_grad_()
        (ar.scaled_dot_product_attention(query, **arrays) ** 2).sum().backward()
        return query.grad.numpy()
    import jax

    def loss(query):
        return (ar.scaled_dot_product_attention(query, **arrays) ** 2).sum()

    return np.asarray(jax.grad(loss)(query))


# --- Tracing and mapping -------------------------------------------------------------


def call(function, arrays: dict, **options):
    """Call with arrays by position, so that a tracer sees each of them."""
    names = list(arrays)

    def positional(*values):
        return function(**dict(zip(names, values, strict=True)), **options)

    return positional, list(arrays.values())


OPTIONS = {
    "plain": {},
    "causal": {"causal": "lower-right"},
    "numbers": {"softcap": 2.0, "scale": 0.7},
}


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_torch_compiles_the_whole_function_as_one_graph(options):
    arrays = in_library(Library("torch", "float32"), example())
    function, values = call(ar.attention_with_log_sum_exp, arrays, **options)
    compiled = torch.compile(function, fullgraph=True, backend="aot_eager")

    for ours, traced in zip(function(*values), compiled(*values), strict=True):
        torch.testing.assert_close(traced, ours)


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_jax_compiles_the_function(options):
    import jax

    arrays = in_library(Library("jax", "float32"), example())
    function, values = call(ar.attention_with_log_sum_exp, arrays, **options)

    for ours, traced in zip(function(*values), jax.jit(function)(*values), strict=True):
        np.testing.assert_allclose(traced, ours, rtol=1e-5, atol=1e-6)


def test_traced_code_lets_nothing_masked_through():
    import jax

    library = Library("jax", "float32")
    arrays = example()
    arrays["mask"] = np.arange(KEYS)[None, :] < np.full((QUERIES, 1), 4)
    clean = in_library(library, arrays)
    arrays["key"][..., 4:, :] = np.nan
    arrays["value"][..., 4:, :] = np.nan
    dirty = in_library(library, arrays)
    function, _ = call(ar.scaled_dot_product_attention, dirty)
    traced = jax.jit(function)

    np.testing.assert_array_equal(traced(*dirty.values()), traced(*clean.values()))


@pytest.mark.parametrize("name", ["torch", "jax"])
def test_vmap_over_the_batch_equals_the_batch(name):
    arrays = in_library(Library(name, "float64"), example())
    bias, sink = arrays.pop("bias"), arrays.pop("sink")
    vmap = torch.vmap if name == "torch" else __import__("jax").vmap

    def one(query, key, value, mask):
        return ar.scaled_dot_product_attention(
            query, key, value, mask=mask, bias=bias, sink=sink
        )

    mapped = vmap(one)(*(arrays[n] for n in ("query", "key", "value", "mask")))
    whole = ar.scaled_dot_product_attention(**arrays, bias=bias, sink=sink)

    np.testing.assert_allclose(
        to_numpy(mapped), to_numpy(whole), rtol=1e-12, atol=1e-14
    )


@pytest.mark.parametrize("name", ["torch", "jax", "array_api_strict"])
def test_two_libraries_at_once_are_refused(name):
    foreign = Library(name, "float32").array(np.ones((1, 2)))
    own = np.ones((1, 2), dtype=np.float32)

    with pytest.raises(TypeError, match="the same array library"):
        ar.scaled_dot_product_attention(own, foreign, own)


@pytest.mark.parametrize("name", ["torch", "jax", "array_api_strict", "numpy"])
def test_views_with_any_strides_give_the_same(name):
    library = Library(name, "float64")
    arrays = in_library(library, example())
    xp = array_api_compat.array_namespace(arrays["query"])
    flipped = {key: xp.flip(arrays[key], axis=-2) for key in ("key", "value")}
    both_flipped = {**arrays, **flipped, "mask": xp.flip(arrays["mask"], axis=-1)}
    both_flipped["bias"] = xp.flip(arrays["bias"], axis=-1)

    np.testing.assert_allclose(
        to_numpy(ar.scaled_dot_product_attention(**both_flipped)),
        to_numpy(ar.scaled_dot_product_attention(**arrays)),
        rtol=1e-12,
        atol=1e-14,
    )
