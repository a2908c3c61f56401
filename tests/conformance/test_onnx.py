"""ONNX's own single-node cases, through our adapter."""

from __future__ import annotations

import ast
from pathlib import Path

import adapter
import numpy as np
import pytest
from onnx_cases import node_cases

RUN = {
    "Attention": adapter.run_attention,
    "RotaryEmbedding": adapter.run_rotary_embedding,
}
COUNTS = {"Attention": 93, "RotaryEmbedding": 8}

ALL_CASES = [case for operator in RUN for case in node_cases(operator)]


@pytest.mark.parametrize("case", ALL_CASES, ids=str)
def test_onnx_case(case):
    outputs = RUN[case.operator](case.inputs, case.attributes)

    for name, expected in case.outputs.items():
        assert_similar(outputs[name], expected, case)


@pytest.mark.parametrize("operator", RUN)
def test_no_case_is_missing(operator):
    assert len(node_cases(operator)) == COUNTS[operator]


def test_the_adapter_imports_numpy_ml_dtypes_and_attention_ref_only():
    tree = ast.parse(Path(adapter.__file__).read_text("utf-8"))
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module)

    assert imported - {"__future__", "collections.abc", "typing"} <= {
        "attention_ref",
        "ml_dtypes",
        "numpy",
    }


def assert_similar(ours, expected, case):
    """Compare as ONNX's own runner does: bfloat16 within two units."""
    assert ours.shape == expected.shape
    assert ours.dtype == expected.dtype
    rtol = case.rtol
    if ours.dtype.name == "bfloat16":
        rtol = max(rtol, 2**-6)
        ours, expected = ours.astype(np.float32), expected.astype(np.float32)
    np.testing.assert_allclose(ours, expected, rtol=rtol, atol=case.atol)
