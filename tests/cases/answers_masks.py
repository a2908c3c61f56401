"""Answers about empty rows, causal alignment, masks, windows and padding."""

from __future__ import annotations

from typing import Any

import array_api_compat
from open_cases import Case, Results, answer

import attention_ref as ar


@answer("FM-01", other_conventions=("out_nan", "out_mean", "weights_mean"))
def fully_masked_row(case: Case) -> Results:
    query, key, value = case.query_key_value()
    mask = case.booleans("keep")
    output, log_sum_exp = ar.attention_with_log_sum_exp(query, key, value, mask=mask)
    weights = ar.attention_weights(query, key, mask=mask)
    return {"out_zero": output, "weights_zero": weights, "lse": log_sum_exp}


@answer("FM-03", other_conventions=("layer1_mean",))
def padding_does_not_spread_through_layers(case: Case) -> Results:
    x = case["x"][None, None, ...]
    visible = case.booleans("key_valid")

    def layer(x: Any, mask: Any = None) -> Any:
        return ar.scaled_dot_product_attention(x, x, x, mask=mask, causal=True)

    first = layer(x, visible)
    return {
        "layer1_zero": first,
        "layer2_zero": layer(first, visible),
        "layer2_unpadded": layer(layer(x[:, :, 1:, :])),
    }


@answer("FM-04", contrast={"dq": "dq"}, libraries=("torch", "jax"))
def gradients_of_an_empty_row(case: Case) -> Results:
    mask, grad_out = case.booleans("keep"), case["grad_out"]

    def loss(query: Any, key: Any, value: Any) -> Any:
        output = ar.scaled_dot_product_attention(query, key, value, mask=mask)
        return (grad_out * output).sum()

    arrays = case.query_key_value()
    if case.library.name == "jax":
        import jax

        gradients = jax.grad(loss, argnums=(0, 1, 2))(*arrays)
    else:
        loss(*(array.requires_grad_() for array in arrays)).backward()
        gradients = [array.grad for array in arrays]
    return dict(zip(("dq", "dk", "dv"), gradients, strict=True))


@answer("CA-01")
def two_alignments_of_the_causal_diagonal(case: Case) -> Results:
    query, key, value = case.query_key_value()
    results = {}
    for name, alignment in [
        ("top_left", "upper-left"),
        ("bottom_right", "lower-right"),
    ]:
        output = ar.scaled_dot_product_attention(query, key, value, causal=alignment)
        results[f"out_{name}"] = output
        results[f"weights_{name}"] = ar.attention_weights(query, key, causal=alignment)
        results[f"keep_{name}"] = ar.causal_mask(2, 5, alignment=alignment, like=query)
    return results


@answer("CA-03")
def one_new_token_behind_a_cache(case: Case) -> Results:
    arrays = case.query_key_value()
    attention = ar.scaled_dot_product_attention
    return {
        "out_bottom_right": attention(*arrays, causal="lower-right"),
        "out_top_left": attention(*arrays, causal="upper-left"),
        "out_no_mask": attention(*arrays),
    }


@answer("CA-04", other_conventions=("alternative",))
def mask_and_causal_intersect(case: Case) -> Results:
    arrays, mask = case.query_key_value(), case.booleans("keep")
    output = ar.scaled_dot_product_attention(*arrays, mask=mask, causal=True)
    return {"out_intersection": output}


@answer("MS-01")
def true_means_may_attend(case: Case) -> Results:
    arrays, mask = case.query_key_value(), case.booleans("mask")
    attention = ar.scaled_dot_product_attention
    return {
        "out_true_keeps": attention(*arrays, mask=mask),
        "out_true_blocks": attention(*arrays, mask=~mask),
    }


@answer("MS-03")
def an_additive_mask_is_selected(case: Case) -> Results:
    arrays = case.query_key_value()
    bias = ar.bias_from_mask(case["mask01"] == 1, like=arrays[0])
    output = ar.scaled_dot_product_attention(*arrays, bias=bias)
    return {"additive": bias, "out": output}


@answer("MS-04")
def masked_keys_weigh_nothing(case: Case) -> Results:
    scores, mask = case["scores"], case.booleans("keep")
    one = scores[:1] * 0 + 1
    weights = ar.attention_weights(one[None, :], scores[:, None], mask=mask, scale=1)
    xp = array_api_compat.array_namespace(scores)
    kept = xp.where(mask, ar.softmax(scores), scores * 0)
    return {
        "weights": weights[0, :],
        "weights_zeroed_then_renormalised": kept / xp.sum(kept),
    }


@answer("MS-06")
def an_additive_mask_is_never_cast_to_boolean(case: Case) -> Results:
    arrays = case.query_key_value()
    output = ar.scaled_dot_product_attention(*arrays, bias=case["additive"])
    return {"out_additive": output}


@answer("SW-01")
def a_window_counts_keys_before_and_after(case: Case) -> Results:
    arrays = case.query_key_value()
    results = {
        "out_causal": ar.scaled_dot_product_attention(*arrays, causal=True),
    }
    for left, right in case.inputs["windows"]:
        name = f"{left}_{right}".replace("-1", "m1")
        window = ar.window_from_flash_attention((left, right))
        mask = ar.sliding_window_mask(
            4, left=window[0], right=window[1], like=arrays[0]
        )
        results[f"keep_{name}"] = mask
        results[f"out_{name}"] = ar.scaled_dot_product_attention(*arrays, mask=mask)
    return results


@answer("SW-02")
def a_window_size_that_counts_the_token_itself(case: Case) -> Results:
    arrays = case.query_key_value()
    size = case.inputs["sliding_window"]
    xp = array_api_compat.array_namespace(*arrays)
    results = {}
    for suffix, left in [
        ("size_counts_self", ar.window_from_size(size)[0]),
        ("left_offset", size),
    ]:
        mask = ar.sliding_window_mask(4, left=left, right=0, like=arrays[0])
        output = ar.scaled_dot_product_attention(*arrays, mask=mask)
        results[f"out_{suffix}"] = output
        results[f"keys_per_row_{suffix}"] = xp.sum(xp.astype(mask, xp.int64), axis=-1)
    results["keys_per_row"] = results.pop("keys_per_row_size_counts_self")
    return results


@answer("SW-04")
def a_window_with_two_sides(case: Case) -> Results:
    arrays, half = case.query_key_value(), case.inputs["half_window"]
    mask = ar.sliding_window_mask(5, left=half, right=half, like=arrays[0])
    output = ar.scaled_dot_product_attention(*arrays, mask=mask)
    return {"out": output, "keep": mask}


@answer("PP-01")
def padding_hides_keys(case: Case) -> Results:
    arrays, valid = case.query_key_value(), case.booleans("valid")
    attention = ar.scaled_dot_product_attention
    padding = ar.from_key_padding_mask(~valid[None, :])
    both = padding & valid[:, None]
    return {
        "out_keys": attention(*arrays, mask=padding),
        "out_both_axes_zero": attention(*arrays, mask=both),
    }


@answer("PP-05")
def lengths_count_valid_keys(case: Case) -> Results:
    arrays = case.query_key_value()
    attention = ar.scaled_dot_product_attention
    keys = ar.padding_mask(case.library.integers(case.inputs["kv_lens"]), 3)
    queries = ar.padding_mask(case.library.integers(case.inputs["q_lens"]), 2)
    rows = array_api_compat.array_namespace(queries).matrix_transpose(queries)
    return {
        "out_kv_lens": attention(*arrays, mask=keys),
        "out_kv_and_q_lens_zeroed": attention(*arrays, mask=keys & rows),
    }


@answer("SH-01")
def empty_axes_keep_their_shapes(case: Case) -> Results:
    def zeros(length: int, width: int) -> Any:
        library = case.library
        return library.module.zeros((1, 1, length, width), dtype=library.float_dtype)

    output, log_sum_exp = ar.attention_with_log_sum_exp(
        zeros(2, 2), zeros(0, 2), zeros(0, 3)
    )
    no_query = ar.scaled_dot_product_attention(zeros(0, 2), zeros(2, 2), zeros(2, 3))
    return {
        "out_no_keys": output,
        "lse_no_keys": log_sum_exp,
        "out_shape_no_query": no_query.shape,
        "weights_shape_no_keys": ar.attention_weights(zeros(2, 2), zeros(0, 2)).shape,
    }


@answer("SH-03")
def strides_do_not_matter(case: Case) -> Results:
    xp = array_api_compat.array_namespace(case["q"])
    length_first = xp.permute_dims(case["q"], (0, 2, 1, 3))
    query = xp.permute_dims(xp.asarray(length_first, copy=True), (0, 2, 1, 3))
    key = xp.broadcast_to(case["k_shared"], (1, 2, 3, 1))
    value = xp.broadcast_to(case["v_shared"], (1, 2, 3, 1))
    mask = case.booleans("keep_1_1_1_S")
    return {"out": ar.scaled_dot_product_attention(query, key, value, mask=mask)}


@answer("SH-05")
def a_mask_of_another_length_is_an_error(case: Case) -> Results:
    arrays, mask = case.query_key_value(), case.booleans("mask")
    attention = ar.scaled_dot_product_attention
    try:
        strict = attention(*arrays, mask=mask)
    except ValueError as error:
        strict = error
    return {
        "strict": strict,
        "out_crop_upper": attention(*arrays, mask=mask[:2, :]),
        "out_crop_lower": attention(*arrays, mask=mask[2:, :]),
    }
