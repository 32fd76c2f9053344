"""Writes torch_tokens and torch_segmenter, which have a label for every position:
positions.py FOLDER

Beside each network, batch.safetensors holds a batch as PyTorch has it (labels are I64)
but with channels last, and losses.json the losses of four steps of SGD on it, which
PyTorch computes in double precision."""

import json
import os
import struct
import sys

import torch
from torch.nn import functional

RATE, STEPS = 0.25, 4


class Tokens(torch.nn.Module):
    """Predicts the next token: a recurrent layer whose learned initial state begins
    with zeros, RMS normalization, rotary positions, a causal mask, a learned gain."""

    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(11, 8)
        self.recurrent = torch.nn.GRU(8, 8, batch_first=True)
        self.state = torch.nn.Parameter(torch.zeros(1, 1, 8))
        self.gain = torch.nn.Parameter(torch.ones(1))
        self.scale = torch.nn.Parameter(torch.ones(8))
        self.query = torch.nn.Linear(8, 8, bias=False)
        self.head = torch.nn.Linear(8, 11, bias=False)

    def turned(self, x):
        half = x.shape[-1] // 2
        rates = 10.0 ** -torch.arange(half).float()
        angles = torch.outer(torch.arange(x.shape[2]).float(), rates)
        both = torch.cat([angles, angles], -1).to(x.dtype)
        swapped = torch.cat([-x[..., half:], x[..., :half]], -1)
        return x * both.cos() + swapped * both.sin()

    def forward(self, x):
        states = self.state.expand(-1, x.shape[0], -1).contiguous()
        h = self.recurrent(self.embedding(x), states)[0]
        n = h * torch.rsqrt(h.pow(2).mean(-1, True) + 1e-6) * self.scale
        batch, length, _ = h.shape
        q = self.turned(self.query(n).view(batch, length, 2, 4).transpose(1, 2))
        mask = torch.full((length, length), float("-inf")).triu(1)
        weights = (q @ q.transpose(-1, -2) / 2 + mask).softmax(-1)
        mixed = (weights @ q).transpose(1, 2).reshape(batch, length, 8)
        return self.head(h + self.gain * mixed)


class Segmenter(torch.nn.Module):
    """The exporter writes the numbers of normalizations as constant nodes, which are
    no parameters."""

    def __init__(self):
        super().__init__()
        self.groups = torch.nn.GroupNorm(2, 6)
        self.down = torch.nn.Conv2d(3, 6, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(6)
        self.up = torch.nn.ConvTranspose2d(6, 4, 2, 2)
        self.head = torch.nn.Conv2d(10, 4, 1)

    def forward(self, x):
        mean = torch.tensor([0.1, 0.2, 0.3], dtype=x.dtype).view(3, 1, 1)
        scale = torch.tensor([0.5, 0.6, 0.7], dtype=x.dtype).view(3, 1, 1)
        y = self.groups(functional.relu(self.norm(self.down((x - mean) / scale))))
        z = self.up(functional.max_pool2d(y, 2))
        return self.head(torch.cat([y, z], 1))


def save(path, tensors):
    header, data = {}, b""
    for name, values in tensors.items():
        kind = "I64" if values.dtype == torch.int64 else "F32"
        part = values.contiguous().numpy().tobytes()
        header[name] = {"dtype": kind, "shape": list(values.shape),
                        "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def write(name, net, x, labels):
    folder = os.path.join(sys.argv[1], name)
    os.makedirs(folder, exist_ok=True)
    torch.onnx.export(
        net, x, os.path.join(folder, "model.onnx"), opset_version=17,
        training=torch.onnx.TrainingMode.PRESERVE, do_constant_folding=False,
        input_names=["x"], output_names=["logits"],
        dynamic_axes={"x": {0: "N"}, "logits": {0: "N"}})
    save(os.path.join(folder, "batch.safetensors"),
         {"x": x.permute(0, 2, 3, 1) if x.dim() == 4 else x, "label": labels})
    net = net.double()
    x = x.double() if x.dim() == 4 else x
    optimizer = torch.optim.SGD(net.parameters(), lr=RATE)
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        logits = net(x)
        if x.dim() == 2:
            logits = logits.transpose(1, 2)
        loss = functional.cross_entropy(logits, labels, ignore_index=-100)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    with open(os.path.join(folder, "losses.json"), "w") as file:
        json.dump(losses, file)


torch.manual_seed(5)
tokens = torch.randint(0, 11, (2, 6))
write("torch_tokens", Tokens(), tokens[:, :5], tokens[:, 1:].contiguous())
labels = torch.randint(0, 4, (2, 8, 8))
labels[:, :2] = -100  # unlabelled pixels
write("torch_segmenter", Segmenter(), torch.randn(2, 3, 8, 8), labels)
