"""The largest batches that PyTorch trains within some bytes of a GPU.

usage: largest.py MODEL TYPE MODE GB...

As peer.py has MODEL, TYPE and MODE, eager. GB: 10^9 bytes that its allocator may
take in all. Prints a JSON object a line, of what the GPU has. The batch is a
multiple of 8; cuDNN chooses by its heuristics, which needs no memory of its own.
"""
import gc
import json
import sys

import torch

import peer

torch.backends.cudnn.benchmark = False
name, kind, mode = sys.argv[1:4]
total = torch.cuda.get_device_properties(0).total_memory


def fits(batch, limit):
    """Whether two steps are done within the limit."""
    torch.cuda.set_per_process_memory_fraction(limit / total)
    try:
        peer.measure(name, batch, kind, mode, "eager", 1, warmups=1)
        result = True
    except torch.OutOfMemoryError:
        result = False
    gc.collect()
    torch.cuda.empty_cache()
    return result


def bytes_of(batch):
    torch.cuda.reset_peak_memory_stats()
    if not fits(batch, total):
        raise SystemExit(f"error: not even {batch} images fit")
    return torch.cuda.max_memory_allocated()


small, large = bytes_of(32), bytes_of(96)
each = (large - small) / 64
for gigabytes in sys.argv[4:]:
    limit = int(float(gigabytes) * 1e9)
    if limit > total:
        print(f"{gigabytes} GB: more than the GPU has", file=sys.stderr)
        continue
    # In eights: `low` fits, `high` does not.
    guess = max(1, int((limit - small) / each + 32) // 8)
    step = max(1, guess // 32)
    low, high = 0, guess
    while fits(8 * high, limit):
        low, high = high, high + step
        step *= 2
    if low == 0:
        low = max(0, high - step)
        while low > 0 and not fits(8 * low, limit):
            low, high = max(0, low - step), low
            step *= 2
    while high - low > 1:
        middle = (low + high) // 2
        if fits(8 * middle, limit):
            low = middle
        else:
            high = middle
    print(json.dumps({"key": f"largest.{name}.{kind}.{mode}.{gigabytes}",
                      "result": {"batch": 8 * low}}), flush=True)
