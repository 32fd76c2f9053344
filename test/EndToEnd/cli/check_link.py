"""Compares what plans say of a link with the sizes of the parameters.

    check_link.py STATE BYTES CALLS SHARDS RANKS

STATE is a state without optimizer variables; the others are plans as JSON: at
2 GB/s without latency, at a rate without end with 1 ms, and with shards.
"""

import json
import struct
import sys

state, *plans = sys.argv[1:5]
ranks = int(sys.argv[5])
SMALL = 32768 // ranks  # bytes of a sum of one message
LEAST = 8192  # of the smallest variables that are sharded
with open(state, "rb") as file:
    header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
sizes = [
    entry["data_offsets"][1] - entry["data_offsets"][0]
    for name, entry in header.items()
    if name.endswith((".weight", ".bias"))
]
assert len(sizes) >= 4, header.keys()
by_bytes, by_calls, shards = [
    json.load(open(path))["plans"][0]["scaling"] for path in plans
]

sent = sum(
    size * (ranks - 1) if size <= SMALL else 2 * (size * (ranks - 1) // ranks)
    for size in sizes
)
rest = by_bytes["sent_bytes"] - sent
assert 0 < rest <= 64, (by_bytes, sent)
milliseconds = by_bytes["sent_bytes"] / 2e6
assert abs(by_bytes["communication_milliseconds"] - milliseconds) < 1e-9

phases = sum(1 if size <= SMALL else 2 for size in sizes)
extra = by_calls["calls"] - len(sizes)  # of the loss and the metrics
assert extra > 0, by_calls
assert abs(by_calls["communication_milliseconds"] - phases - extra) < 0.01, by_calls
for plan in (by_bytes, by_calls, shards):
    waiting = plan["waiting_milliseconds"]
    assert 0 < waiting <= plan["communication_milliseconds"] + 1e-9
    whole = plan["computation_milliseconds"] + waiting
    assert abs(plan["efficiency"] - plan["computation_milliseconds"] / whole) < 1e-9

# Smaller variables stay whole. A shard's message is padded to equal parts.
divided = sum(
    size * (ranks - 1) if size < LEAST else 2 * (size * (ranks - 1) // ranks)
    for size in sizes
)
assert 0 < shards["sent_bytes"] - divided <= 64 * len(sizes), (shards, divided)
assert shards["calls"] > by_bytes["calls"], shards
