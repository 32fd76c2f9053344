"""check_fine_tune.py WEIGHTS STATE: the state of a run with a frozen backbone and
frozen normalizations has the weights' tensors but those of 'fc', which have
changed, and moments of these alone."""
import json
import struct
import sys


def tensors(path):
    content = open(path, "rb").read()
    length, = struct.unpack_from("<Q", content)
    header = json.loads(content[8:8 + length])
    header.pop("__metadata__")
    return {name: content[8 + length + begin:8 + length + end]
            for name, entry in header.items()
            for begin, end in [entry["data_offsets"]]}


weights, state = map(tensors, sys.argv[1:])
backbone = {name for name in weights
            if not name.startswith("fc.") and "momentum" not in name}
assert len(backbone) == 100, len(backbone)
for name in backbone:
    assert weights[name] == state[name], name
others = set(state) - backbone
assert others == {"fc.weight", "fc.weight.momentum_buffer", "fc.bias",
                  "fc.bias.momentum_buffer"}, others
assert any(state["fc.bias"])
