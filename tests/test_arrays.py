"""What the package asks of an array before it computes."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from attention_ref import _arrays
from attention_ref._arrays import broadcast_shapes, device_of, known_to_hold, quiet
from attention_ref._arrays import namespace as namespace_of
from attention_ref._checks import check_arrays


class Traced:
    """A condition whose value is not known yet, as JAX and torch's vmap have them."""

    def __init__(self, error):
        self.error = error

    def __bool__(self):
        raise self.error("the value is not known")


def test_a_condition_holds_only_if_it_is_known_to():
    assert known_to_hold(np.asarray(True)) is True
    assert known_to_hold(np.asarray(False)) is False
    for error in (TypeError, RuntimeError):
        assert known_to_hold(Traced(error)) is False


def test_nothing_is_known_to_torchs_tracer(monkeypatch):
    monkeypatch.setattr(torch.compiler, "is_compiling", lambda: True)

    assert known_to_hold(np.asarray(True)) is False


def test_what_a_condition_raises_otherwise_is_not_hidden():
    with pytest.raises(KeyError):
        known_to_hold(Traced(KeyError))


class Homeless(np.ndarray):
    """An array that does not say where it is, as JAX's while they are traced."""

    @property
    def device(self):
        raise AttributeError("device")


def test_only_torch_is_asked_for_devices():
    array = np.zeros(2).view(Homeless)

    check_arrays("attention", {"query": array, "key": array})


@pytest.mark.parametrize(
    ("module", "library"),
    [("array_api_compat.numpy", "numpy"), ("mlx.core", "mlx"), ("cupy", "cupy")],
)
def test_a_library_is_named_by_its_first_package(monkeypatch, module, library):
    monkeypatch.setattr(
        _arrays, "namespace", lambda _: SimpleNamespace(__name__=module)
    )

    assert _arrays.library_name(None) == library


def test_shapes_broadcast_from_the_end():
    assert broadcast_shapes((5, 1), (2, 1, 3)) == (2, 5, 3)
    assert broadcast_shapes((0,), (1,)) == (0,)
    assert broadcast_shapes((2,), (3,)) is None
    assert broadcast_shapes((), ()) == ()


def test_new_arrays_are_made_where_torchs_tensors_are():
    assert device_of(torch.ones(1, device="meta")) == torch.device("meta")


def test_only_numpys_warnings_about_masked_entries_are_silent():
    with quiet(namespace_of(np.ones(1))):
        assert np.isnan(np.asarray(np.inf) - np.asarray(np.inf))
        assert np.isinf(np.asarray(1e308) * np.asarray(10.0))
        with pytest.raises(RuntimeWarning):
            np.divide(np.ones(1), np.zeros(1))
