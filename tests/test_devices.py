"""Results lie where the arguments lie, and nothing takes the way through NumPy.

The strict library has devices by name: it refuses to mix them, and to become NumPy's
array anywhere but on its first one. What works here needs nothing of an array but what
the standard promises, as on a CUDA device through CuPy.
"""

import array_api_strict
import numpy as np
import pytest
from typical_calls import typical_calls, with_arrays

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
