"""Losses of PyTorch from the start that a program of ours had.

usage: curve.py FOLDER LOSSES MODEL BATCH TYPE [DEVICE]

FOLDER: what REPRISE_DUMP wrote, variables and inputs; LOSSES: what
REPRISE_LOSSES wrote, a loss a line. The same batch at each step, SGD with
momentum 0.9, no block skipped. Prints one JSON object: both curves' first and last loss, and the
largest difference of a step relative to PyTorch's loss.
"""
import json
import os
import sys

import numpy
import torch
import torchvision

folder, losses, name, batch, kind = sys.argv[1:6]
device = sys.argv[6] if len(sys.argv) > 6 else "cuda"
torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
ours = [float(line) for line in open(losses)]


def read(what, dtype=numpy.float32):
    return numpy.fromfile(os.path.join(folder, what), dtype)


model = getattr(torchvision.models, name)(weights=None)
for module in model.modules():
    if isinstance(module, torchvision.ops.StochasticDepth):
        module.p = 0.0
state = model.state_dict()
for key, value in state.items():
    if not os.path.exists(os.path.join(folder, key)):
        continue  # counters and tables that are computed
    shape = list(value.shape)
    data = read(key)
    if len(shape) == 4:  # ours are O, H, W, I
        o, i, h, w = shape
        data = data.reshape(o, h, w, i).transpose(0, 3, 1, 2)
    state[key] = torch.from_numpy(numpy.ascontiguousarray(
        data.reshape(shape))).to(value.dtype)
model.load_state_dict(state)
model = model.to(device, memory_format=torch.channels_last).train()
image = read("image")
side = round((image.size / 3 / int(batch)) ** 0.5)
image = torch.from_numpy(image.reshape(int(batch), side, side, 3)).permute(
    0, 3, 1, 2).to(device)
label = torch.from_numpy(read("label", numpy.int32)).long().to(device)
rate = float(read("learning_rate")[0])
optimizer = torch.optim.SGD(model.parameters(), lr=rate, momentum=0.9)
theirs = []
for _ in ours:
    optimizer.zero_grad(set_to_none=True)
    with torch.autocast(device, dtype=torch.bfloat16, enabled=kind == "bf16"):
        loss = torch.nn.functional.cross_entropy(model(image), label)
    loss.backward()
    optimizer.step()
    theirs.append(loss.item())
difference = max(abs(a - b) / abs(b) for a, b in zip(ours, theirs))
print(json.dumps({"steps": len(ours), "first": ours[0], "first_theirs": theirs[0],
                  "last": ours[-1], "last_theirs": theirs[-1],
                  "largest_relative_difference": difference}))
