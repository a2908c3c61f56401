"""Thousands of random problems against torch in float64, and against JAX.

The normal run takes 150 problems of each dtype. All 2,000, as `make proofs` does:

    PROOFS=1 python -m pytest tests/test_differential.py
"""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from array_libraries import DTYPES, Library, dtype_name, to_numpy
from random_problems import COUNT, SHAPES, RandomProblem, random_problem, ulp

import attention_ref as ar

if TYPE_CHECKING:
    from collections.abc import Callable

SAMPLE = range(150)
ALL = range(COUNT)

proof = pytest.mark.skipif(
    os.environ.get("PROOFS") != "1",
    reason="a proof of minutes: set PROOFS=1, as make proofs does",
)


def solve(
    problem: RandomProblem,
    library: Library,
    function: Callable[..., Any] = ar.scaled_dot_product_attention,
) -> np.ndarray:
    """Our output for a problem, computed in a library and its dtype."""
    options = dict(problem.options)
    if problem.mask is not None:
        options["mask"] = library.booleans(problem.mask)
    if problem.bias is not None:
        options["bias"] = library.array(problem.bias)
    arrays = (library.array(x) for x in (problem.query, problem.key, problem.value))
    output = function(*arrays, **options)
    assert dtype_name(output) == problem.dtype
    return to_numpy(output)


def assert_within_bound(seed: int, library: Library, **how: Any) -> None:
    problem = random_problem(library.dtype, seed)
    exact, size = problem.exact()
    error = np.abs(solve(problem, library, **how) - exact)
    excess = error / np.maximum(problem.allowed_error(size), np.finfo(float).tiny)
    worst = np.unravel_index(np.argmax(excess), excess.shape)
    assert np.all(excess <= 1), (
        f"{library}, seed {seed}: error {error[worst]:.3g} at {worst} "
        f"is {excess[worst]:.3g} times what is allowed"
    )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["numpy", "torch"])
def test_a_sample_of_random_problems_is_within_the_bound(name, dtype):
    for seed in SAMPLE:
        assert_within_bound(seed, Library(name, dtype))


def assert_blocks_are_within_bound(seed: int, library: Library) -> None:
    keys = random_problem(library.dtype, seed).key.shape[-2]
    how = partial(ar.blockwise_attention, block_size=1 + keys // 3)
    assert_within_bound(seed, library, function=how)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["numpy", "torch"])
def test_blocks_are_within_the_same_bound(name, dtype):
    for seed in SAMPLE[:50]:
        assert_blocks_are_within_bound(seed, Library(name, dtype))


@proof
@pytest.mark.slow
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["numpy", "torch", "jax"])
def test_every_random_problem_is_within_the_bound(name, dtype):
    for seed in ALL:
        assert_within_bound(seed, Library(name, dtype))


@proof
@pytest.mark.slow
@pytest.mark.parametrize("dtype", DTYPES)
def test_blocks_of_every_random_problem_are_within_it_too(dtype):
    for seed in ALL:
        assert_blocks_are_within_bound(seed, Library("numpy", dtype))


def test_torch_itself_is_within_the_bound_in_float64():
    for seed in SAMPLE:
        problem = random_problem("float64", seed)
        exact, size = problem.exact()
        error = np.abs(problem.by_torch(problem.value) - exact)
        assert np.all(error <= problem.allowed_error(size)), f"seed {seed}"


def assert_jax_agrees(seed: int, dtype: str) -> None:
    """Compare with JAX's function where it defines a result: not in empty rows."""
    import jax

    problem = random_problem(dtype, seed)
    library = Library("jax", dtype)
    mask = problem.visible()
    query, key, value = (
        library.array(np.swapaxes(x, -3, -2))
        for x in (problem.query, problem.key, problem.value)
    )
    theirs = jax.nn.dot_product_attention(
        query,
        key,
        value,
        bias=None if problem.bias is None else library.array(problem.bias),
        mask=library.booleans(mask),
        scale=problem.scale,
    )
    theirs = np.swapaxes(to_numpy(theirs), -3, -2)
    _, size = problem.exact()
    # JAX rounds the weights to the dtype of the values before it uses them.
    unit = float(ulp(np.asarray(1.0), dtype)) / 2
    allowed = 2 * problem.allowed_error(size) + 2 * unit * size
    error = np.abs(solve(problem, library) - theirs)
    defined = np.any(mask, axis=-1, keepdims=True)
    assert np.all((error <= allowed) | ~defined), f"{dtype}, seed {seed}"


def jax_forbids(problem: RandomProblem) -> bool:
    """Whether the value is of another width than the key, which JAX refuses."""
    return problem.key.shape[-1] != problem.value.shape[-1]


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_jax_agrees_on_a_sample(dtype):
    seeds = [seed for seed in SAMPLE if not jax_forbids(random_problem(dtype, seed))]
    for seed in seeds[:6]:  # JAX compiles every operation anew for every shape
        assert_jax_agrees(seed, dtype)


@proof
@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_jax_agrees_on_every_problem(dtype):
    for seed in ALL:
        if not jax_forbids(random_problem(dtype, seed)):
            assert_jax_agrees(seed, dtype)


def test_the_problems_are_varied():
    problems = [random_problem("float32", seed) for seed in SAMPLE]

    assert {problem.causal for problem in problems} == {
        None,
        "upper-left",
        "lower-right",
    }
    assert any(problem.mask is None for problem in problems)
    assert any(not problem.visible().any(axis=-1).all() for problem in problems)
    assert any(problem.bias is not None for problem in problems)
    assert any(problem.largest_sum_of_terms() > 100 for problem in problems)
    assert {problem.query.shape[0] for problem in problems} == {s[0] for s in SHAPES}


@pytest.mark.parametrize(
    ("dtype", "error"), [("float64", 1e-12), ("float16", 1e-3), ("bfloat16", 1e-2)]
)
def test_the_bound_notices_a_small_relative_error(dtype, error):
    problem = random_problem(dtype, 1)
    exact, size = problem.exact()

    assert np.any(np.abs(exact * error) > problem.allowed_error(size))
