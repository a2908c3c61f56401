"""Answers about heads, grouped queries, dropout, and caches."""

from __future__ import annotations

from typing import Any

import array_api_compat
from open_cases import Case, Results, answer

import attention_ref as ar


@answer("MH-01", contrast={"softmax_of_mean_scores": "weights_avg"})
def weights_come_back_per_head(case: Case) -> Results:
    weights = ar.attention_weights(case["q"], case["k"])
    xp = array_api_compat.array_namespace(weights)
    return {"weights_per_head": weights, "weights_avg": xp.mean(weights, axis=1)}


@answer("MH-02")
def heads_are_split_and_merged_with_a_transpose(case: Case) -> Results:
    heads = ar.split_heads(case["x"], case.inputs["heads"])
    output = ar.scaled_dot_product_attention(heads, heads, heads)
    return {"out": ar.merge_heads(output)}


@answer(
    "MH-04",
    contrast={"weights_sqrt_embed": "weights", "weights_sqrt_heads": "weights"},
)
def the_scale_uses_the_width_of_a_head(case: Case) -> Results:
    num_heads = case.inputs["heads"]
    query, key, value = (
        ar.split_heads(case[name], num_heads) for name in ("xq", "xk", "xv")
    )
    return {
        "out": ar.merge_heads(ar.scaled_dot_product_attention(query, key, value)),
        "weights": ar.attention_weights(query, key),
    }


@answer("MH-06")
def asking_for_weights_changes_nothing(case: Case) -> Results:
    query, key, value = case.query_key_value()
    return {
        "out": ar.scaled_dot_product_attention(query, key, value, causal=True),
        "weights": ar.attention_weights(query, key, causal=True),
    }


@answer("DO-01")
def there_is_no_dropout(case: Case) -> Results:
    return {"out": ar.scaled_dot_product_attention(*case.query_key_value())}


@answer("GQ-01")
def groups_are_contiguous(case: Case) -> Results:
    return {"out": ar.scaled_dot_product_attention(*case.query_key_value())}


@answer("GQ-03")
def one_key_head_for_all_query_heads(case: Case) -> Results:
    arrays = case.query_key_value()
    mask = case.booleans("keep_per_query_head")
    return {
        "out": ar.scaled_dot_product_attention(*arrays),
        "out_masked": ar.scaled_dot_product_attention(*arrays, mask=mask),
    }


@answer("KV-01")
def step_by_step_equals_the_full_pass(case: Case) -> Results:
    query, key, value = case.query_key_value()
    cache, steps, start = ar.KeyValueCache(), [], 0
    for size in case.inputs["chunk_sizes"]:
        chunk = slice(start, start + size)
        cache = cache.append(key[:, :, chunk, :], value[:, :, chunk, :])
        steps.append(cache.attend(query[:, :, chunk, :]))
        start += size
    xp = array_api_compat.array_namespace(query)
    return {
        "out_full": ar.scaled_dot_product_attention(query, key, value, causal=True),
        "out_steps": xp.concat(steps, axis=-2),
    }


@answer("KV-02")
def a_chunk_behind_a_cache(case: Case) -> Results:
    arrays = case.query_key_value()
    return {
        "out": ar.scaled_dot_product_attention(*arrays, causal="lower-right"),
        "keep": ar.causal_mask(2, 5, alignment="lower-right", like=arrays[0]),
    }


@answer("ON-01", contrast={"weights_mask_first": "weights"})
def the_cap_comes_before_the_bias(case: Case) -> Results:
    query, key, value = case.query_key_value()
    options: dict[str, Any] = {
        "bias": case["bias"],
        "softcap": case.inputs["softcap"],
        "scale": case.inputs["scale"],
    }
    return {
        "out": ar.scaled_dot_product_attention(query, key, value, **options),
        "weights": ar.attention_weights(query, key, **options),
    }
