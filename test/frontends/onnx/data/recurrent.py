"""Writes torch_lstm, torch_gru and torch_packed: recurrent.py FOLDER"""

import os
import sys

import torch


def varint(value):
    data = b""
    while value >= 0x80:
        data += bytes([value & 0x7F | 0x80])
        value >>= 7
    return data + bytes([value])


def tensor(name, values):
    """A TensorProto of floats or int64."""
    values = values.detach().contiguous()
    message = b"".join(varint(1 << 3) + varint(d) for d in values.shape)
    message += varint(2 << 3) + varint(7 if values.dtype == torch.int64 else 1)
    for field, data in ((8, name.encode()), (9, values.numpy().tobytes())):
        message += varint(field << 3 | 2) + varint(len(data)) + data
    return message


class Lstm(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = torch.nn.LSTM(5, 6, num_layers=2, bidirectional=True,
                                 batch_first=True)
        self.head = torch.nn.Linear(12, 4)

    def forward(self, x):
        y, (h, c) = self.rnn(x)
        return self.head(y.mean(1) + torch.cat([c[-2], h[-1]], 1))


class Gru(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = torch.nn.GRU(5, 6, bidirectional=True)
        self.other = torch.nn.RNN(12, 6, nonlinearity="relu")
        self.head = torch.nn.Linear(6, 4)

    def forward(self, x):
        y, _ = self.rnn(x.transpose(0, 1))
        z, _ = self.other(y)
        return self.head(z[-1])


class Packed(torch.nn.Module):
    """Sequences of different lengths."""

    def __init__(self):
        super().__init__()
        self.rnn = torch.nn.LSTM(5, 3, bidirectional=True)

    def forward(self, x, lengths):
        packed = torch.nn.utils.rnn.pack_padded_sequence(x, lengths)
        y, (h, c) = self.rnn(packed)
        return torch.nn.utils.rnn.pad_packed_sequence(y)[0], h, c


def write(name, net, inputs, opset, axes, names):
    folder = os.path.join(sys.argv[1], name)
    data = os.path.join(folder, "test_data_set_0")
    os.makedirs(data, exist_ok=True)
    torch.onnx.export(
        net, inputs, os.path.join(folder, "model.onnx"), opset_version=opset,
        training=torch.onnx.TrainingMode.PRESERVE, do_constant_folding=False,
        input_names=["x", "lengths"][:len(inputs)], output_names=names,
        dynamic_axes=axes)
    outputs = net(*inputs)
    outputs = [outputs] if len(names) == 1 else outputs
    for kind, labels, tensors in (("input", ["x", "lengths"], inputs),
                                  ("output", names, outputs)):
        for k, (label, values) in enumerate(zip(labels, tensors)):
            with open(os.path.join(data, f"{kind}_{k}.pb"), "wb") as file:
                file.write(tensor(label, values))


OPEN = {"x": {0: "N"}, "logits": {0: "N"}}
for name, make, opset, axes in (("torch_lstm", Lstm, 17, OPEN),
                                ("torch_gru", Gru, 14, None)):
    torch.manual_seed(3)
    net = make()
    write(name, net, (torch.randn(2, 7, 5),), opset, axes, ["logits"])
torch.manual_seed(4)
net = Packed()
write("torch_packed", net, (torch.randn(7, 3, 5), torch.tensor([7, 4, 2])), 14,
      None, ["y", "h", "c"])
