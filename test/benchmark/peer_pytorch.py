"""Step time and memory of the peer: Debian's PyTorch with fair settings.

usage: peer_pytorch.py MODEL BATCH STEPS MODE [bf16]

MODE: none; of a ResNet stage or block. With bf16 in mixed precision.

Prints one JSON object: median step in milliseconds, live-heap peak above
parameters, momentum and buffers in MiB. Started by compare_pytorch.
"""
import json
import sys
import time

import torch
import torchvision
from torch.utils.checkpoint import checkpoint

name, batch, steps, mode = (sys.argv[1], int(sys.argv[2]), int(sys.argv[3]),
                            sys.argv[4])
amp = sys.argv[5:] == ["bf16"]
torch.set_num_threads(2)
torch.manual_seed(0)
is_clip = hasattr(torchvision.models.video, name)
models = torchvision.models.video if is_clip else torchvision.models
extents = [16, 224, 224] if name == "s3d" else [16, 112, 112] if is_clip else [224, 224]
layout = torch.channels_last_3d if is_clip else torch.channels_last
model = getattr(models, name)(weights=None).to(memory_format=layout).train()


class Checkpointed(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return checkpoint(self.inner, x, use_reentrant=False)


for stage in ("layer1", "layer2", "layer3", "layer4"):
    module = getattr(model, stage, None)
    if mode == "stage":
        setattr(model, stage, Checkpointed(module))
    elif mode == "block":
        for k in range(len(module)):
            module[k] = Checkpointed(module[k])

# In f32, as autocast has it on CUDA; on the CPU 1.13 fails at bf16 activations
# with f32 parameters.
plain_norm = torch.nn.functional.layer_norm


def wide_norm(x, *arguments):
    return plain_norm(x.float(), *arguments)


if amp:
    torch.nn.functional.layer_norm = wide_norm
optimizer = torch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9)
image = torch.randn(batch, 3, *extents).to(memory_format=layout)
label = torch.randint(0, 400 if is_clip else 1000, (batch,))
times = []
for k in range(steps + 2):
    start = time.perf_counter()
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=amp):
        logits = model(image)
    loss = torch.nn.functional.cross_entropy(logits.float(), label)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    if k >= 2:
        times.append(1e3 * (time.perf_counter() - start))
times.sort()
print(json.dumps({"median_ms": round(times[len(times) // 2], 2),
                  "min_ms": round(times[0], 2),
                  "max_ms": round(times[-1], 2)}))
