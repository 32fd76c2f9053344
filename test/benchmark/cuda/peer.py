"""Training steps of the peer: PyTorch on a GPU with fair settings.

usage: peer.py STEPS MODEL.BATCH.TYPE.MODE.HOW...

TYPE: f32 or bf16 (autocast). MODE: none, per-block or per-stage (checkpoint of
each), or the share of activations that compile's partitioner may keep, in
percent (budget50). HOW: eager or compile. Prints a JSON object a line, as soon
as it is known: median, least and largest milliseconds of a step, and the peak
of allocated memory in MiB. TF32 is off, as in ours. With 0 steps it compiles
alone, so that a later run finds the code in its cache.
"""
import gc
import json
import sys
import time

import torch
import torchvision
from torch.utils.checkpoint import checkpoint

torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
torch.backends.cudnn.benchmark = True


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


def checkpoint_stages(model):
    stages = getattr(model, "features", model)
    for key, child in stages.named_children():
        if isinstance(child, torch.nn.Sequential):
            setattr(stages, key, Checkpointed(child))


def measure(name, batch, kind, mode, how, steps, warmups=5):
    torch.manual_seed(0)
    model = getattr(torchvision.models, name)(weights=None).cuda()
    model = model.to(memory_format=torch.channels_last).train()
    if mode == "per-block":
        checkpoint_blocks(model)
    elif mode == "per-stage":
        checkpoint_stages(model)
    if how == "compile":
        import torch._functorch.config as partitioner
        partitioner.activation_memory_budget = (
            int(mode[6:]) / 100 if mode.startswith("budget") else 1.0)
    run = torch.compile(model) if how == "compile" else model
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9,
                                fused=True)
    image = torch.randn(batch, 3, 224, 224, device="cuda").to(
        memory_format=torch.channels_last)
    label = torch.randint(0, 1000, (batch,), device="cuda")

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", dtype=torch.bfloat16,
                            enabled=kind == "bf16"):
            loss = torch.nn.functional.cross_entropy(run(image), label)
        loss.backward()
        optimizer.step()
        return loss.item()  # waits

    for _ in range(warmups if steps else 1):
        step()
    torch.cuda.reset_peak_memory_stats()
    times = []
    for _ in range(steps):
        start = time.perf_counter()
        step()
        times.append(1e3 * (time.perf_counter() - start))
    times.sort()
    return {"median_ms": round(times[len(times) // 2], 3),
            "min_ms": round(times[0], 3), "max_ms": round(times[-1], 3),
            "peak_mib": round(torch.cuda.max_memory_allocated() / 2**20),
            "torch": torch.__version__} if steps else {}


def main():
    steps = int(sys.argv[1])
    for of in sys.argv[2:]:
        name, batch, kind, mode, how = of.split(".")
        try:
            result = {"result": measure(name, int(batch), kind, mode, how, steps)}
        except Exception as error:
            result = {"error": str(error).replace('"', " ")[:300]}
        print(json.dumps({"key": of, **result}), flush=True)
        torch._dynamo.reset()
        gc.collect()
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
