"""Answers about softmax, precision, scale, bias, sinks and online softmax."""

from __future__ import annotations

from typing import Any

import numpy as np
from array_libraries import Library
from open_cases import Case, Results, answer

import attention_ref as ar


@answer("SM-01", contrast={"single_query_over_axis0": "single_query_over_keys"})
def weights_sum_to_one_over_the_keys(case: Case) -> Results:
    return {
        "over_keys": ar.softmax(case["x"]),
        "single_query_over_keys": ar.softmax(case["single_query"]),
    }


@answer("SM-03", other_conventions=("all_minus_inf_plain",))
def infinite_scores(case: Case) -> Results:
    scores, mask = case["scores"], case.booleans("keep")
    one = scores[:1] * 0 + 1
    masked = ar.attention_weights(one[None, :], scores[:, None], mask=mask, scale=1)
    with np.errstate(invalid="ignore"):
        plus_inf_row = ar.softmax(case["plus_inf_row"])
    return {
        "masked": masked[0, :],
        "plus_inf_row": plus_inf_row,
        "minus_inf_row": ar.softmax(case["minus_inf_row"]),
        "all_minus_inf_safe": ar.softmax(case["all_minus_inf"]),
    }


@answer("HP-01", libraries=("numpy", "torch", "jax"), dtypes=("float64",))
def narrow_dtypes_do_not_hold_mask_constants(case: Case) -> Results:
    with np.errstate(over="ignore", under="ignore"):
        return {
            dtype: Library(case.library.name, dtype).array(case.inputs["values"])
            for dtype in ("float16", "bfloat16")
        }


@answer("HP-03")
def no_score_is_lower_than_masked(case: Case) -> Results:
    query, key, value = case.query_key_value()
    mask, scale = case.booleans("keep"), case.inputs["scale"]
    return {
        "out": ar.scaled_dot_product_attention(
            query, key, value, mask=mask, scale=scale
        ),
        "weights": ar.attention_weights(query, key, mask=mask, scale=scale),
    }


@answer("HP-04")
def scores_beyond_float16(case: Case) -> Results:
    query, key, value = case.query_key_value()
    return {
        "out": ar.scaled_dot_product_attention(query, key, value),
        "weights": ar.attention_weights(query, key),
    }


@answer("SC-01")
def every_scale_is_taken_literally(case: Case) -> Results:
    names = ("out_default", "out_scale_zero", "out_scale_minus_one")
    return {
        name: ar.scaled_dot_product_attention(*case.query_key_value(), scale=scale)
        for name, scale in zip(names, case.inputs["scales"], strict=True)
    }


@answer("SC-02", other_conventions=("out_bias_then_scale",))
def the_bias_is_not_scaled(case: Case) -> Results:
    arrays = case.query_key_value()
    output = ar.scaled_dot_product_attention(*arrays, bias=case["bias"])
    return {"out_scale_then_bias": output}


@answer("SC-04", contrast={"weights_sink0_max_shift_bug": "weights_sink0"})
def a_sink_stands_only_in_the_denominator(case: Case) -> Results:
    query, key, value = case.query_key_value()
    results = {}
    for logit in case.inputs["sink_logits"]:
        options: dict[str, Any] = {"sink": case.library.array([logit]), "scale": 1}
        output, log_sum_exp = ar.attention_with_log_sum_exp(
            query, key, value, **options
        )
        weights = ar.attention_weights(query, key, **options)
        results[f"weights_sink{logit:.0f}"] = weights
        results[f"out_sink{logit:.0f}"] = output
    return {**results, "lse_sink2": log_sum_exp}


@answer("OL-01")
def empty_partial_results_are_neutral(case: Case) -> Results:
    states = {name: case.inputs[f"state_{name}"] for name in "abc"}

    def merge(one: str, other: str) -> Results:
        parts = [states[name] for name in (one, other)]
        output, log_sum_exp = ar.merge_partial_results(
            [case.library.array([part["out"]]) for part in parts],
            [case.library.array([part["lse"]]) for part in parts],
        )
        return {"out": output[0, :], "lse": log_sum_exp[0]}

    return {
        "merge_ab": merge("a", "b"),
        "merge_ac": merge("a", "c"),
        "merge_ca": merge("c", "a"),
    }


def attend_to_scores(scores: Any, value: Any) -> tuple[Any, Any]:
    """Let one query of width one attend, with these numbers as its scores."""
    one = scores[:1] * 0 + 1
    return ar.attention_with_log_sum_exp(one[None, :], scores[:, None], value, scale=1)


@answer("OL-02", contrast={"lse_without_max": "lse"})
def log_sum_exp_is_of_the_plain_sum(case: Case) -> Results:
    scores, value = case["scores"], case["values"]
    partial_results = [
        attend_to_scores(scores[start:stop], value[start:stop, :])
        for start, stop in case.inputs["blocks"]
    ]
    output, log_sum_exp = ar.merge_partial_results(*zip(*partial_results, strict=True))
    decreasing, decreasing_log_sum_exp = attend_to_scores(
        case["scores_decreasing"], value
    )
    return {
        "out": output[0, :],
        "lse": log_sum_exp[0],
        "partial_out": [partial[0][0, :] for partial in partial_results],
        "partial_lse": [partial[1][0] for partial in partial_results],
        "out_decreasing": decreasing[0, :],
        "lse_decreasing": decreasing_log_sum_exp[0],
    }


@answer("OL-04", contrast={"out_sentinel": "out"})
def the_running_maximum_starts_at_minus_infinity(case: Case) -> Results:
    scores, value = case["scores"], case["values"]
    partial_results = [
        attend_to_scores(scores[start:stop], value[start:stop, :])
        for start, stop in case.inputs["blocks"]
    ]
    output, log_sum_exp = ar.merge_partial_results(*zip(*partial_results, strict=True))
    return {"out": output[0, :], "lse": log_sum_exp[0]}
