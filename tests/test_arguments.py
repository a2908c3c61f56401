"""Every function refuses every kind of wrong argument, and says which one it was."""

import re

import numpy as np
import pytest
import torch
from typical_calls import typical_calls, with_arrays

import attention_ref as ar

CALLS = typical_calls()

# What does not compute accepts any dtype.
MOVING = {
    "split_heads",
    "merge_heads",
    "heads_before_length",
    "length_before_heads",
    "change_rotary_layout",
}
# These ask an array only for its library and its device.
AT_HOME = {"causal_mask", "sliding_window_mask", "prefix_mask"}
# These ask a mask for its axes; the others let it broadcast.
MASKED_BY_AXES = {"linear_attention", "positions_from_mask", "to_torch_attn_mask"}


AXES = {"batch", "heads", "key_heads", "queries", "keys", "length", "1"}
AXES |= {"width", "value_width", "model_width", "heads * width"}


def arguments():
    """Every argument of every call; those in a tuple with its name before theirs."""
    for function, (_, given) in CALLS.items():
        for name, value in given.items():
            if isinstance(value, tuple):
                for field, each in value._asdict().items():
                    yield function, f"{name}.{field}", each
            else:
                yield function, name, value


def arrays(applies=None):
    """Those of them that are arrays, and of these those to which a rule applies."""
    return [
        (function, name, value)
        for function, name, value in arguments()
        if isinstance(value, np.ndarray)
        if applies is None or applies(function, name)
    ]


def is_one_of_several(function, name):
    """Tell whether a function takes another array too."""
    return len({n for f, n, _ in arrays() if f == function}) > 1


def must_be_an_array(function, name):
    """Tell whether nothing else will do; lengths of a mask may be a list."""
    return function != "padding_mask"


def must_have_a_kind(function, name):
    """Tell whether the dtype of an argument matters."""
    return function not in MOVING | AT_HOME


def must_have_axes(function, name):
    """Tell whether an argument is asked for its axes by itself."""
    if name == "mask":
        return function in MASKED_BY_AXES
    if name == "positions":
        return function == "sinusoidal_positions"
    if function == "append":
        return name == "key"
    of_any_shape = {"scores", "like", "bias", "sink", "lengths"}
    return name not in of_any_shape and "projections" not in name


def refused(function, name, value):
    """Call a function with one argument changed, and return what it says."""
    call, given = CALLS[function]
    first, _, field = name.partition(".")
    if field:
        value = given[first]._replace(**{field: value})
    with pytest.raises((TypeError, ValueError)) as caught:
        call(**given | {first: value})
    return str(caught.value)


def test_every_public_function_is_called():
    elsewhere = {"merge_partial_results", "projections_from_torch"}
    elsewhere |= {"window_from_flash_attention"}  # they take no array by itself
    functions = {n for n in ar.__all__ if n.islower()} - elsewhere

    assert functions == CALLS.keys() - {"append"}
    for call, given in CALLS.values():
        call(**given)


@pytest.mark.parametrize(("function", "name", "value"), arrays(must_be_an_array))
def test_what_is_no_array_is_refused_by_name(function, name, value):
    said = refused(function, name, "no array")

    assert said.startswith(f"{function}: {name} must be an array, got str.")


@pytest.mark.parametrize(("function", "name", "value"), arrays(is_one_of_several))
def test_an_array_of_another_library_is_refused_by_name(function, name, value):
    said = refused(function, name, torch.from_numpy(value))

    first, second = [each for f, each, _ in arrays() if f == function][:2]
    found = f"{first} and {second if name == first else name}"
    assert said.startswith(f"{function}: {found} must have the same array library, ")


@pytest.mark.parametrize(("function", "name", "value"), arrays(must_have_a_kind))
def test_an_array_of_another_kind_is_refused_by_name(function, name, value):
    other = value.astype(np.int64 if value.dtype.kind == "f" else np.float64)
    said = refused(function, name, other)

    assert said.startswith(f"{function}: {name} must be ")
    assert f", got {other.dtype}. " in said


@pytest.mark.parametrize(
    "function", [f for f, (_, given) in CALLS.items() if {"query", "key"} <= set(given)]
)
def test_dtypes_without_a_common_one_are_refused_by_name(function):
    call, given = CALLS[function]

    def narrow(array):
        return array.astype(np.float16) if array.dtype.kind == "f" else array

    mixed = with_arrays(narrow, given) | {"key": given["key"].astype("bfloat16")}
    with pytest.raises(TypeError) as caught:
        call(**mixed)

    said = str(caught.value)
    names, dtypes = "query(,| and) key", "float16(,| and) bfloat16"
    rule = "must have dtypes with a common type"
    assert re.match(f"{function}: {names}.* {rule}, got {dtypes}", said)


@pytest.mark.parametrize(("function", "name", "value"), arrays(must_have_axes))
def test_an_array_without_axes_is_refused_by_name(function, name, value):
    said = refused(function, name, value.ravel()[0].reshape(()))

    count, axes = re.match(
        rf"{function}: {name} must have at least (\d) ax[ei]s \((.+?)\), got", said
    ).groups()
    named = [axis for axis in axes.split(", ") if axis != "..."]
    assert len(named) == int(count)
    assert AXES.issuperset(named)


@pytest.mark.parametrize(
    ("function", "name", "value"),
    [each for each in arguments() if type(each[2]) is int and each[1] != "axis"],
)
@pytest.mark.parametrize("wrong", [1.5, True, "2"])
def test_a_count_that_is_no_integer_is_refused_by_name(function, name, value, wrong):
    said = refused(function, name, wrong)

    got = type(wrong).__name__
    assert said.startswith(f"{function}: {name} must be an integer, got {got}.")


@pytest.mark.parametrize(
    ("function", "name", "value"),
    [each for each in arguments() if type(each[2]) is float],
)
@pytest.mark.parametrize("wrong", [np.nan, -np.inf])
def test_a_number_that_is_not_finite_is_refused_by_name(function, name, value, wrong):
    said = refused(function, name, wrong)

    assert said.startswith(f"{function}: {name} must be ")
    assert said.partition(", got ")[2].startswith(f"{wrong}. ")


@pytest.mark.parametrize(
    ("function", "name", "value"),
    [each for each in arguments() if isinstance(each[2], str)],
)
def test_a_word_that_is_no_choice_is_refused_by_name(function, name, value):
    said = refused(function, name, "sideways")

    assert said.startswith(f"{function}: {name} must be ")
    assert ", got 'sideways'. " in said
