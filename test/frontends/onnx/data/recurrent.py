"""Writes torch_lstm and torch_gru with PyTorch: recurrent.py FOLDER"""

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
    """A TensorProto of floats."""
    values = values.detach().contiguous().float()
    message = b"".join(varint(1 << 3) + varint(d) for d in values.shape)
    message += varint(2 << 3) + varint(1)
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


OPEN = {"x": {0: "N"}, "logits": {0: "N"}}
for name, make, opset, axes in (("torch_lstm", Lstm, 17, OPEN),
                                ("torch_gru", Gru, 14, None)):
    torch.manual_seed(3)
    net = make()
    x = torch.randn(2, 7, 5)
    data = os.path.join(sys.argv[1], name, "test_data_set_0")
    os.makedirs(data, exist_ok=True)
    torch.onnx.export(
        net, x, os.path.join(sys.argv[1], name, "model.onnx"),
        opset_version=opset, training=torch.onnx.TrainingMode.PRESERVE,
        do_constant_folding=False, input_names=["x"], output_names=["logits"],
        dynamic_axes=axes)
    for kind, label, values in (("input", "x", x), ("output", "logits", net(x))):
        with open(os.path.join(data, kind + "_0.pb"), "wb") as file:
            file.write(tensor(label, values))
