"""Swin Transformers for volumes in PyTorch, for comparisons.

Liu et al. 2022 (arXiv 2106.13230) with the sizes and names of torchvision's
swin3d_t, which Debian's torchvision does not have yet. Windows are never cut
out: attention is among all tokens of the padded volume, and pairs of different
windows are left out of the softmax. That is slow, and shares no idea with the
program that it is compared with.
"""
import torch
from torch import nn

WINDOW = (8, 7, 7)
PATCH = (2, 4, 4)
# Blocks a stage, heads a stage, channels of the first.
SIZES = {"swin3d_t": ((2, 2, 6, 2), (3, 6, 12, 24), 96),
         "swin3d_s": ((2, 2, 18, 2), (3, 6, 12, 24), 96),
         "swin3d_b": ((2, 2, 18, 2), (4, 8, 16, 32), 128)}


def pad_to_multiple(x, multiples):
    """Zeros at the ends of dimensions 1, 2, 3 of (N,D,H,W,C)."""
    for dim, multiple in enumerate(multiples, start=1):
        missing = -x.shape[dim] % multiple
        if missing:
            shape = list(x.shape)
            shape[dim] = missing
            x = torch.cat([x, x.new_zeros(shape)], dim)
    return x


class Pairs:
    """Of a volume's tokens, by their places: which pairs share a window, which
    lay apart before the shift, and the rows of the table of distances."""

    def __init__(self, extents, shifts):
        window = [min(w, e) for w, e in zip(WINDOW, extents)]
        shifts = [0 if e <= w else s
                  for s, w, e in zip(shifts, WINDOW, extents)]
        self.multiples = window
        padded = [-(-e // w) * w for w, e in zip(window, extents)]
        places = torch.cartesian_prod(*(torch.arange(p) for p in padded))
        shifted = torch.stack([(places[:, d] - shifts[d]) % padded[d]
                               for d in range(3)], 1)
        of_window = torch.tensor(window)
        windows = shifted // of_window
        inner = shifted % of_window
        self.together = self.equal(windows)
        # After a shift the last window holds both ends of the volume.
        part = torch.stack(
            [(shifted[:, d] >= padded[d] - shifts[d]).long()
             if shifts[d] else torch.zeros(len(places), dtype=torch.long)
             for d in range(3)], 1)
        self.apart = ~self.equal(part)
        # A smaller window takes the first rows of the whole window's table, as
        # published.
        number = (inner[:, 0] * window[1] + inner[:, 1]) * window[2] + inner[:, 2]
        whole = torch.stack([number // (WINDOW[1] * WINDOW[2]),
                             number // WINDOW[2] % WINDOW[1],
                             number % WINDOW[2]], 1)
        self.rows = torch.zeros(len(places), len(places), dtype=torch.long)
        for d in range(3):
            distance = whole[:, None, d] - whole[None, :, d] + WINDOW[d] - 1
            self.rows = self.rows * (2 * WINDOW[d] - 1) + distance

    @staticmethod
    def equal(rows):
        return (rows[:, None] == rows[None, :]).all(-1)


class Attention(nn.Module):
    def __init__(self, channels, heads, shifts):
        super().__init__()
        self.heads, self.shifts = heads, shifts
        self.qkv = nn.Linear(channels, 3 * channels)
        self.proj = nn.Linear(channels, channels)
        distances = 1
        for w in WINDOW:
            distances *= 2 * w - 1
        self.relative_position_bias_table = nn.Parameter(
            0.02 * torch.randn(distances, heads))

    def forward(self, x):
        extents = x.shape[1:4]
        pairs = Pairs(extents, self.shifts)
        x = pad_to_multiple(x, pairs.multiples)
        padded = x.shape
        tokens = x.flatten(1, 3)
        q, k, v = (part.unflatten(2, (self.heads, -1)).transpose(1, 2)
                   for part in self.qkv(tokens).chunk(3, 2))
        scores = (q * q.shape[-1] ** -0.5) @ k.transpose(2, 3)
        bias = self.relative_position_bias_table[pairs.rows].permute(2, 0, 1)
        scores = scores + bias - 100.0 * pairs.apart.to(scores.dtype)
        scores = scores.masked_fill(~pairs.together, float("-inf"))
        y = (scores.softmax(-1) @ v).transpose(1, 2).flatten(2)
        y = self.proj(y).view(padded)
        return y[:, :extents[0], :extents[1], :extents[2]]


class Block(nn.Module):
    def __init__(self, channels, heads, shifts):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(channels), nn.LayerNorm(channels)
        self.attn = Attention(channels, heads, shifts)
        # Numbered as published: dropout stands between.
        self.mlp = nn.Sequential(
            nn.Linear(channels, 4 * channels), nn.GELU(), nn.Identity(),
            nn.Linear(4 * channels, channels))

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class Merging(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.reduction = nn.Linear(4 * channels, 2 * channels, bias=False)
        self.norm = nn.LayerNorm(4 * channels)

    def forward(self, x):
        x = pad_to_multiple(x, (1, 2, 2))
        neighbours = [x[:, :, row::2, column::2]
                      for column in (0, 1) for row in (0, 1)]
        return self.reduction(self.norm(torch.cat(neighbours, -1)))


class Patches(nn.Module):
    def __init__(self, channels, width):
        super().__init__()
        self.proj = nn.Conv3d(channels, width, PATCH, PATCH)
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        x = pad_to_multiple(x.permute(0, 2, 3, 4, 1), PATCH)
        return self.norm(self.proj(x.permute(0, 4, 1, 2, 3)).permute(0, 2, 3, 4, 1))


class Swin3D(nn.Module):
    """Clips (N,C,D,H,W) to logits."""

    def __init__(self, name, channels=3, classes=400):
        super().__init__()
        blocks, heads, width = SIZES[name]
        self.patch_embed = Patches(channels, width)
        layers = []
        for stage, count in enumerate(blocks):
            if stage:
                layers.append(Merging(width))
                width *= 2
            layers.append(nn.Sequential(*(
                Block(width, heads[stage],
                      [w // 2 if i % 2 else 0 for w in WINDOW])
                for i in range(count))))
        self.features = nn.Sequential(*layers)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        x = self.norm(self.features(self.patch_embed(x)))
        return self.head(x.mean((1, 2, 3)))
