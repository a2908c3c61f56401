"""Results lie where the arguments lie, and nothing takes the way through NumPy.

The strict library has devices by name: it refuses to mix them, and to become NumPy's
array anywhere but on its first one. What works here needs nothing of an array but what
the standard promises, as on a CUDA device through CuPy.
"""

import array_api_strict
import numpy as np
import pytest
from typical_calls import typical_calls, with_arrays

import attention_ref as ar

DEVICE = array_api_strict.Device("device1")
NUMPYS = array_api_strict.Device("CPU_DEVICE")
CALLS = {
    name: call
    for name, call in typical_calls().items()
    if name != "window_from_size"  # it takes no array
}


def elsewhere(array):
    """The array on a device that is not NumPy's."""
    return array_api_strict.asarray(array, device=DEVICE)


def arrays_of(result):
    """The arrays of a result, be it one, a tuple of them or a cache."""
    if isinstance(result, tuple):
        return list(result)
    fields = getattr(result, "__dataclass_fields__", {})
    return [getattr(result, name) for name in fields if name != "left"] or [result]


@pytest.mark.parametrize("name", CALLS)
def test_results_stay_on_the_device_of_the_arguments(name):
    function, given = CALLS[name]

    ours = arrays_of(function(**with_arrays(elsewhere, given)))

    right = arrays_of(function(**given))
    for result, expected in zip(ours, right, strict=True):
        assert result.device == DEVICE
        back = np.asarray(result.to_device(NUMPYS))
        np.testing.assert_allclose(back, expected, atol=1e-13)


def test_the_strict_library_refuses_to_become_numpys_from_there():
    with pytest.raises(RuntimeError, match="device"):
        np.asarray(elsewhere(np.ones(2)))


def test_a_block_asks_its_rule_for_positions_on_the_device():
    def near(query_position, key_position):
        return abs(query_position - key_position) <= 1

    x = np.linspace(-1, 1, 30).reshape(10, 3)
    there = elsewhere(x)
    output = ar.blockwise_attention(there, there, there, mask=near, block_size=2)

    assert output.device == DEVICE
    right = ar.blockwise_attention(x, x, x, mask=near)
    np.testing.assert_allclose(np.asarray(output.to_device(NUMPYS)), right, atol=1e-13)


def test_the_past_stays_on_the_device_in_linear_attention():
    x = elsewhere(np.linspace(-1, 1, 300).reshape(100, 3))

    assert ar.linear_attention(x, x, x, causal=True).device == DEVICE


def test_a_cache_stays_on_its_device():
    key = elsewhere(np.linspace(-1, 1, 60).reshape(2, 2, 5, 3))
    cache = ar.KeyValueCache(left=2).append(key, key).append(key, key)

    assert cache.next_positions(2).device == DEVICE
    assert cache.attend(key).device == DEVICE


def test_positions_that_are_not_given_are_made_on_the_device():
    x = elsewhere(np.linspace(-1, 1, 20).reshape(5, 4))

    assert ar.rotary_embedding(x, layout="half").device == DEVICE
