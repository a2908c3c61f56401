# ---
# title: Numerics
# description: A workbook. Three ways to get NaN (big scores, empty rows, float16), and what to write instead.
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Numerics
#
# The formula of attention is right, and a computer that follows it can still give you NaN, "not a number".
# Here you meet three ways to get there, and repair each.
#
# You need [Attention by hand](attention-by-hand.py) and [Masks](masks.py).
#
# ## The story
#
# A model has learned for days.
# Then one number in it becomes NaN, in the next step all of them are, and the days are lost.
# Nobody changed the formula.
# What happened?

# %%
import numpy as np

from attention_ref.exercises import (
    check_empty_rows,
    check_half_precision,
    check_stable_softmax,
)

np.seterr(all="ignore")  # we look at the results, so NumPy need not warn


def softmax(scores):
    powers = np.exp(scores)
    return powers / powers.sum(axis=-1, keepdims=True)


print(softmax(np.array([1.0, 2.0, 3.0])).round(4))
print(softmax(np.array([1001.0, 1002.0, 1003.0])))

# %% [markdown] tags=["expected"]
# ```output
# [0.09   0.2447 0.6652]
# [nan nan nan]
# ```

# %% [markdown]
# ## Big scores
#
# Both lines should be the same: softmax depends on the gaps between scores only.
# But the exponential of a thousand is larger than any number that the computer can hold.
# It becomes ∞, and ∞ divided by ∞ is NaN.
#
# Only gaps count, so you may subtract what you like from a whole row.
# Subtract the right thing, and no exponential is ever larger than one.
#
# **Predict:** what goes wrong if you subtract the largest score of the whole table?


# %%
def stable_softmax(scores):
    # Your turn: return the weights; subtract the largest score of each row first.
    # solution
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)
    # end of solution


check_stable_softmax(stable_softmax)
print(stable_softmax(np.array([1001.0, 1002.0, 1003.0])).round(4))


# %% [markdown] tags=["expected"]
# ```output
# Right: stable_softmax passes all 4 cases.
# [0.09   0.2447 0.6652]
# ```

# %% [markdown]
# ## Empty rows
#
# A mask can hide every key from a query, for example in a text of length zero.
# All its scores are −∞ then, and so is the largest.
# The gap between −∞ and −∞ is NaN.
#
# What *should* such a query get?
# It may take nothing from anybody, so its weights are zero.
# Many programs give it the mean of all values instead, from positions that it must not see.


# %%
def weights_or_zeros(scores, mask):
    # Your turn: return masked weights, with zeros for a query that may see no key.
    # solution
    visible = np.where(mask, scores, -np.inf)
    largest = np.where(mask.any(axis=-1), visible.max(axis=-1), 0.0)[:, None]
    powers = np.exp(visible - largest)
    total = powers.sum(axis=-1, keepdims=True)
    return powers / np.where(total == 0, 1.0, total)
    # end of solution


check_empty_rows(weights_or_zeros)
mask = np.array([[True, True, False], [False, False, False]])
print(weights_or_zeros(np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]), mask).round(4))

# %% [markdown] tags=["expected"]
# ```output
# Right: weights_or_zeros passes all 3 cases.
# [[0.2689 0.7311 0.    ]
#  [0.     0.     0.    ]]
# ```

# %% [markdown]
# What would a large negative number have done?
# It hides well as long as something else is visible, and fails here without a word.

# %%
filled = stable_softmax(np.where(mask, 1.0, -1e9))
print(filled.round(4))


# %% [markdown] tags=["expected"]
# ```output
# [[0.5    0.5    0.    ]
#  [0.3333 0.3333 0.3333]]
# ```

# %% [markdown]
# ## Half precision
#
# A number in `float16` takes half the memory of one in `float32`, and holds about three digits.
# Its largest value is `65504`.
# A dot product of sixty-four numbers gets there quickly.

# %%
wide = np.full((1, 64), 40, dtype=np.float16)
print("in float16:", (wide @ wide.T)[0, 0])
print("in float32:", (wide.astype(np.float32) @ wide.astype(np.float32).T)[0, 0])


# %% [markdown] tags=["expected"]
# ```output
# in float16: inf
# in float32: 102400.0
# ```

# %% [markdown]
# Dividing by the square root of the width would bring the score back into range, but it comes too late.
# So: cast first, compute everything in `float32`, and round *once*, at the end.


# %%
def half_attention(query, key, value):
    # Your turn: return float16, computed in float32 from the first product to the last.
    # solution
    query, key, value = (x.astype(np.float32) for x in (query, key, value))
    scores = query @ key.T / np.sqrt(np.float32(query.shape[-1]))
    return (stable_softmax(scores) @ value).astype(np.float16)
    # end of solution


check_half_precision(half_attention)
value = np.array([[1.0, 2.0]], dtype=np.float16)
print(half_attention(wide, wide, value))

# %% [markdown] tags=["expected"]
# ```output
# Right: half_attention passes all 4 cases.
# [[1. 2.]]
# ```

# %% [markdown]
# How much does each step lose if it is done in `float16`?
# Here the errors of both ways, for a hundred queries, each compared with `float64`.

# %%
random = np.random.default_rng(0)
query, key, value = random.normal(size=(3, 100, 16)).astype(np.float16)


def error(output):
    wide = [x.astype(np.float64) for x in (query, key, value)]
    exact = stable_softmax(wide[0] @ wide[1].T / 4) @ wide[2]
    return np.abs(output - exact).max()


all_in_half = stable_softmax(query @ key.T / np.float16(4)) @ value
rounded_once = half_attention(query, key, value)
print("all in float16 is worse:", error(all_in_half) > 2 * error(rounded_once))

# %% [markdown] tags=["expected"]
# ```output
# all in float16 is worse: True
# ```

# %% [markdown]
# ## Compare with the reference
#
# The package does all three: it subtracts the largest score, gives zeros to empty rows, and computes in at least `float32`.

# %%
import attention_ref

output = attention_ref.scaled_dot_product_attention(query, key, value)
print("dtype:", output.dtype)
print("same as yours:", np.allclose(output, rounded_once, atol=1e-3))
print(attention_ref.softmax(np.array([-np.inf, -np.inf])))

# %% [markdown] tags=["expected"]
# ```output
# dtype: float16
# same as yours: True
# [0. 0.]
# ```

# %% [markdown]
# ## Three things to try
#
# - Find the smallest score at which `softmax`, without the subtraction, fails in `float32`.
# - Add up ten thousand ones in `float16`, one after the other. Where does the sum stop, and why?
# - Let the sum that you divide by be a little larger, as with `+ 1e-9`. Which row is repaired, and which are spoilt?
#
# Go on with [Attention on a GPU](attention-on-a-gpu.py).
