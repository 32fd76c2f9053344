"""A training step of the peer: PyTorch on a GPU with fair settings.

usage: peer.py MODEL BATCH TYPE MODE HOW STEPS

TYPE: f32 or bf16 (autocast). MODE: none or per-block (checkpoint of each
block). HOW: eager or compile. Prints one JSON object: median, least and largest
milliseconds of a step, and the peak of allocated memory in MiB. TF32 is off, as
in ours.
"""
import json
import sys
import time

import torch
import torchvision
from torch.utils.checkpoint import checkpoint

name, batch, kind, mode, how, steps = sys.argv[1:7]
batch, steps = int(batch), int(steps)
torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
torch.backends.cudnn.benchmark = True
torch.manual_seed(0)


class Checkpointed(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return checkpoint(self.inner, x, use_reentrant=False)


def checkpoint_blocks(module):
    for key, child in module.named_children():
        kind = type(child).__name__
        if kind in ("BasicBlock", "Bottleneck", "SwinTransformerBlock"):
            setattr(module, key, Checkpointed(child))
        else:
            checkpoint_blocks(child)


model = getattr(torchvision.models, name)(weights=None).cuda()
model = model.to(memory_format=torch.channels_last).train()
if mode == "per-block":
    checkpoint_blocks(model)
run = torch.compile(model) if how == "compile" else model
optimizer = torch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9,
                            fused=True)
image = torch.randn(batch, 3, 224, 224, device="cuda").to(
    memory_format=torch.channels_last)
label = torch.randint(0, 1000, (batch,), device="cuda")


def step():
    optimizer.zero_grad(set_to_none=True)
    with torch.autocast("cuda", dtype=torch.bfloat16, enabled=kind == "bf16"):
        loss = torch.nn.functional.cross_entropy(run(image), label)
    loss.backward()
    optimizer.step()
    return loss.item()  # waits


for _ in range(5):
    step()
torch.cuda.reset_peak_memory_stats()
times = []
for _ in range(steps):
    start = time.perf_counter()
    step()
    times.append(1e3 * (time.perf_counter() - start))
times.sort()
print(json.dumps({
    "median_ms": round(times[len(times) // 2], 3),
    "min_ms": round(times[0], 3), "max_ms": round(times[-1], 3),
    "peak_mib": round(torch.cuda.max_memory_allocated() / 2**20),
    "torch": torch.__version__}))
