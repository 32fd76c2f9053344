"""The bytes of the optimizer's variables that ranks divide, counted from a
state.

    check_shards.py WHOLE SHARDS TRAIN STATE RANKS

WHOLE, SHARDS: plans of one rank without and with shards. TRAIN: the result of a
run with shards. STATE: a state of the model, whose tensors are whole.
"""
import json
import struct
import sys

LEAST = 8192  # bytes of the smallest variables that are sharded
ALIGNMENT = 64

whole, shards, train, state = sys.argv[1:5]
ranks = int(sys.argv[5])
with open(state, "rb") as file:
    length, = struct.unpack("<Q", file.read(8))
    header = json.loads(file.read(length))
held = total = saved = 0
for name, tensor in header.items():
    if not name.endswith((".exp_avg", ".exp_avg_sq")):
        continue
    begin, end = tensor["data_offsets"]
    elements = (end - begin) // 4
    if 4 * elements < LEAST:
        continue
    shard = 4 * -(-elements // ranks)
    held += shard
    total += 4 * elements
    saved += (-(-4 * elements // ALIGNMENT) - -(-shard // ALIGNMENT)) * ALIGNMENT
assert held and total
expected = {"bytes": held, "of_bytes": total}
plans = [json.load(open(path))["plans"][0] for path in (whole, shards)]
result = json.load(open(train))
assert "optimizer_shards" not in plans[0]
assert plans[1]["optimizer_shards"] == expected, plans[1]
assert result["optimizer_shards"] == expected, result
fixed = plans[0]["fixed_bytes"] - plans[1]["fixed_bytes"]
assert fixed == saved, (fixed, saved)
peaks = [plan["peak_bytes"] for plan in plans]
assert peaks[0] - peaks[1] > 0, peaks
assert result["predicted_peak_bytes"] == result["high_water_bytes"], result
print(f"{fixed} bytes less in variables, {peaks[0] - peaks[1]} at the peak")
