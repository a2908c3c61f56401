# ---
# title: Attention on a GPU
# description: A workbook. Run attention on a GPU, time it properly, and test the claim that it is a hundred times faster.
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Attention on a GPU
#
# "On a GPU attention is about a hundred times faster."
# Is that true, and for which lengths?
# You write the stopwatch, because most such claims fall by the way they were timed.
#
# You need [Attention by hand](attention-by-hand.py), a little torch, and no GPU: cells that need one say so, and the rest runs.
#
# ## The story
#
# A colleague has timed attention on a GPU and is delighted: twenty microseconds, whatever the length.
# You look at the program.
# It reads the clock, calls the function, and reads the clock again.
#
# What did it measure?
# A GPU works on its own.
# The call puts the work in a queue and returns at once; the numbers come later.
# The colleague has timed how long it takes to *ask*.

# %%
import statistics
import time

import torch

import attention_ref
from attention_ref.exercises import check_median_seconds

# %% [markdown]
# ## A stopwatch that waits
#
# Four rules make a timing that means something:
#
# - *Warm up.* The first run loads and compiles what all the others use.
# - *Wait* for the device before you start the clock, so that you do not time what was asked before.
# - *Wait again* before you stop it.
# - *Repeat*, and take the median: one slow run must not decide.
#
# The check plays a device with a queue.
# It needs no GPU, and it knows what each of the four mistakes gives.


# %%
def median_seconds(run, synchronize, clock, repeats):
    # Your turn: return the median seconds of so many runs, by the four rules.
    # solution
    run()
    synchronize()
    seconds = []
    for _ in range(repeats):
        start = clock()
        run()
        synchronize()
        seconds.append(clock() - start)
    return statistics.median(seconds)
    # end of solution


check_median_seconds(median_seconds)

# %% [markdown] tags=["expected"]
# ```output
# Right: median_seconds passes all 2 cases.
# ```

# %% [markdown]
# ## The same function on every device
#
# The reference takes torch tensors wherever they are, and computes there.
# Before you time a function, make sure that it is right: compare it with torch's own.

# %%
torch.manual_seed(0)
query, key, value = torch.randn(3, 1, 8, 128, 64)
ours = attention_ref.scaled_dot_product_attention(query, key, value, causal=True)
theirs = torch.nn.functional.scaled_dot_product_attention(
    query, key, value, is_causal=True
)
print("shape:", tuple(ours.shape))
print("same as torch:", torch.allclose(ours, theirs, atol=1e-5))

# %% [markdown] tags=["expected"]
# ```output
# shape: (1, 8, 128, 64)
# same as torch: True
# ```

# %% [markdown]
# How much work is it?
# Each head compares every query with every key, twice over: once for the scores, once for the mixture.
# Twice the length is four times the work, and four times the scores to keep.

# %%
for length in (512, 1024, 2048, 4096):
    products = 2 * 8 * length * length * 64
    megabytes = 8 * length * length * 4 / 2**20
    print(
        f"{length:5d}: {products / 1e9:6.2f} billion products, {megabytes:5.0f} MiB of scores"
    )


# %% [markdown] tags=["expected"]
# ```output
#   512:   0.27 billion products,     8 MiB of scores
#  1024:   1.07 billion products,    32 MiB of scores
#  2048:   4.29 billion products,   128 MiB of scores
#  4096:  17.18 billion products,   512 MiB of scores
# ```

# %% [markdown]
# ## With a device: is it the same there?
#
# From here on each cell asks whether there is a CUDA device.
# Without one it says so, and the site shows what the cell did on a machine that has one.

# %% tags=["gpu"]
if torch.cuda.is_available():
    there = attention_ref.scaled_dot_product_attention(
        query.cuda(), key.cuda(), value.cuda(), causal=True
    )
    print("device:", there.device.type)
    print("same as here:", torch.allclose(there.cpu(), ours, atol=1e-4))
else:
    print("No CUDA device here, so there is nothing to compare.")

# %% [markdown]
# ## With a device: what the colleague measured
#
# The same call, timed with and without waiting.

# %% tags=["gpu"]
if torch.cuda.is_available():
    inputs = torch.randn(3, 1, 8, 4096, 64, device="cuda")

    def attend():
        return torch.nn.functional.scaled_dot_product_attention(*inputs)

    waiting = median_seconds(attend, torch.cuda.synchronize, time.perf_counter, 20)
    asking = median_seconds(attend, lambda: None, time.perf_counter, 20)
    print(f"asked:    {asking * 1e6:7.0f} microseconds")
    print(f"finished: {waiting * 1e6:7.0f} microseconds")
else:
    print("No CUDA device here, so nothing was timed.")

# %% [markdown]
# ## With a device: a hundred times faster?
#
# On the device the time is taken by *events*: marks in the queue whose distance the GPU measures itself.
# On the processor your stopwatch does it.
# The same function, the same inputs, several lengths.

# %% tags=["gpu"]
if torch.cuda.is_available():

    def milliseconds_there(run, repeats=20):
        run()
        torch.cuda.synchronize()
        measured = []
        for _ in range(repeats):
            start = torch.cuda.Event(enable_timing=True)
            stop = torch.cuda.Event(enable_timing=True)
            start.record()
            run()
            stop.record()
            stop.synchronize()
            measured.append(start.elapsed_time(stop))
        return statistics.median(measured)

    attention = torch.nn.functional.scaled_dot_product_attention
    print("length  processor     GPU   ratio")
    for length in (128, 512, 2048, 8192):
        here = torch.randn(3, 1, 8, length, 64)
        there = here.cuda()
        slow = 1e3 * median_seconds(
            lambda here=here: attention(*here), lambda: None, time.perf_counter, 5
        )
        fast = milliseconds_there(lambda there=there: attention(*there))
        print(f"{length:6d} {slow:7.2f} ms {fast:6.3f} ms {slow / fast:7.0f}")
else:
    print("No CUDA device here, so nothing was timed.")

# %% [markdown]
# Read the last column from top to bottom.
# If the ratio changes with the length, there is no one number to quote.
# Whoever says "a hundred times" owes you a length, a width, a dtype and both machines.
#
# ## Three things to try
#
# - Time the reference instead of torch's fused function. Where does the time go?
# - Use `float16` on the device. How does the ratio change, and why is the comparison then unfair?
# - Leave out the warm-up. How much slower is the first run?
#
# Back to [the lessons](../learn.md).
