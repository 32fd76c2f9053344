"""write_idx.py FOLDER TRAIN TEST: IDX files of 4x4 images whose labels are 0, 1, ...
again and again, below TRAIN in train-* and below TEST in t10k-*."""
import os
import struct
import sys

folder = sys.argv[1]
os.makedirs(folder)
for name, classes in zip(["train", "t10k"], map(int, sys.argv[2:4])):
    labels = bytes(i % classes for i in range(12))
    pixels = bytes(16 * label + j for label in labels for j in range(16))
    with open(os.path.join(folder, name + "-images-idx3-ubyte"), "wb") as file:
        file.write(struct.pack(">IIII", 0x803, 12, 4, 4) + pixels)
    with open(os.path.join(folder, name + "-labels-idx1-ubyte"), "wb") as file:
        file.write(struct.pack(">II", 0x801, 12) + labels)
