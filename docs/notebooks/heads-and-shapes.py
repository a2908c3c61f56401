# ---
# title: Heads and shapes
# description: A workbook. Split, merge and share heads; checks tell shapes that fit from numbers that are in the right place.
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Heads and shapes
#
# A shape that fits is no proof that the numbers are in the right place.
# With several heads there are many ways to be wrong with the right shape, and no library complains.
# The checks here compare every number.
#
# You need [Attention by hand](attention-by-hand.py), and `reshape` and `swapaxes` of NumPy.
#
# ## The story
#
# One reader with one wish mixes one kind of sheet.
# But a word has several wishes: which verb does it belong to, which name does it stand for, where does the sentence end?
# So the numbers of each position are cut into *heads*.
# Each head compares and mixes on its own, and afterwards their results stand side by side again.

# %%
import numpy as np

from attention_ref.exercises import (
    check_merge_heads,
    check_multi_head_attention,
    check_repeat_heads,
    check_split_heads,
)

x = np.arange(12).reshape(1, 2, 6)
print("batch, length, heads * width:", x.shape)
print(x[0])

# %% [markdown] tags=["expected"]
# ```output
# batch, length, heads * width: (1, 2, 6)
# [[ 0  1  2  3  4  5]
#  [ 6  7  8  9 10 11]]
# ```

# %% [markdown]
# ## Cut the width into heads
#
# There are two positions with six numbers each.
# With three heads, each head gets two neighbouring numbers of *every* position.
# The heads come before the length, so that one matrix product serves all of them.
#
# `reshape` alone cannot do it: it keeps the order of the numbers, and here the order must change.


# %%
def split_heads(x, num_heads):
    # Your turn: return (batch, heads, length, width); cut the width, then swap two axes.
    # solution
    batch, length, width = x.shape
    parts = x.reshape(batch, length, num_heads, width // num_heads)
    return parts.swapaxes(1, 2)
    # end of solution


check_split_heads(split_heads)
print(split_heads(x, 3)[0])

# %% [markdown] tags=["expected"]
# ```output
# Right: split_heads passes all 3 cases.
# [[[ 0  1]
#   [ 6  7]]
#
#  [[ 2  3]
#   [ 8  9]]
#
#  [[ 4  5]
#   [10 11]]]
# ```

# %% [markdown]
# Each of the three blocks is a head, and each has a row for both positions.
#
# ## Put them side by side again
#
# The way back is the same in reverse order.


# %%
def merge_heads(x):
    # Your turn: return (batch, length, heads * width): undo what split_heads does.
    # solution
    batch, heads, length, width = x.shape
    return x.swapaxes(1, 2).reshape(batch, length, heads * width)
    # end of solution


check_merge_heads(merge_heads)
print("there and back:", np.array_equal(merge_heads(split_heads(x, 3)), x))


# %% [markdown] tags=["expected"]
# ```output
# Right: merge_heads passes all 3 cases.
# there and back: True
# ```

# %% [markdown]
# ## Attend with every head
#
# Now everything comes together.
# The scale is the square root of the width of *one head*: that is how many numbers each dot product adds.


# %%
def softmax(scores):
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def multi_head_attention(query, key, value, num_heads):
    # Your turn: split all three, attend with each head, merge; every array is (length, heads * width).
    # solution
    query, key, value = (split_heads(x[None], num_heads) for x in (query, key, value))
    scores = query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])
    return merge_heads(softmax(scores) @ value)[0]
    # end of solution


check_multi_head_attention(multi_head_attention)
tokens = np.array([[1.0, 0.0, 2.0, 0.0], [0.0, 1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 2.0]])
print(multi_head_attention(tokens, tokens, tokens, 2).round(3))


# %% [markdown] tags=["expected"]
# ```output
# Right: multi_head_attention passes all 3 cases.
# [[0.802 0.599 1.789 0.159]
#  [0.599 0.802 0.28  1.436]
#  [0.752 0.752 0.091 1.723]]
# ```

# %% [markdown]
# What does the second head see that the first does not?
# Draw the weights of each: the rows are queries, the columns are keys.

# %% figure="Two tables of weights side by side. The first head spreads its weight, the second one concentrates on the first and the last token." caption="The weights of both heads."
from matplotlib import pyplot as plt

from attention_ref.plotting import heatmap

heads = split_heads(tokens[None], 2)[0]
weights = softmax(heads @ heads.swapaxes(-1, -2) / np.sqrt(2))
figure, both = plt.subplots(1, 2, figsize=(8, 3.6))
for number, axes in enumerate(both):
    heatmap(weights[number], title=f"Head {number}", ax=axes)

# %% [markdown]
# ## Share keys between heads
#
# Keys and values are what a cache has to keep.
# Large models save there: several query heads *share* one key head.
# Neighbours share, so four query heads over two key heads use `0 0 1 1`.
# The other order, `0 1 0 1`, has the same shape and gives other results.


# %%
def repeat_heads(key, num_heads):
    # Your turn: return (num_heads, keys, width): each key head as often as it is shared.
    # solution
    return np.repeat(key, num_heads // len(key), axis=0)
    # end of solution


check_repeat_heads(repeat_heads)
few = np.array([[[1.0, 2.0]], [[3.0, 4.0]]])
print(repeat_heads(few, 4)[:, 0])

# %% [markdown] tags=["expected"]
# ```output
# Right: repeat_heads passes all 3 cases.
# [[1. 2.]
#  [1. 2.]
#  [3. 4.]
#  [3. 4.]]
# ```

# %% [markdown]
# ## Compare with the reference
#
# The package takes fewer key heads as they are; nothing has to be repeated.

# %%
import attention_ref

random = np.random.default_rng(0)
query = random.normal(size=(4, 3, 2))
key, value = random.normal(size=(2, 2, 5, 2))
shared = attention_ref.scaled_dot_product_attention(query, key, value)
repeated = attention_ref.scaled_dot_product_attention(
    query, repeat_heads(key, 4), repeat_heads(value, 4)
)
print("sharing is the same as repeating:", np.allclose(shared, repeated))

# %% [markdown] tags=["expected"]
# ```output
# sharing is the same as repeating: True
# ```

# %% [markdown]
# ## Three things to try
#
# - Replace `swapaxes` by a second `reshape` to the same shape. What does the check say?
# - Use as many heads as there are numbers. What is left to compare?
# - Give all heads the same numbers. Why are several heads then no better than one?
#
# Go on with [Numerics](numerics.py).
