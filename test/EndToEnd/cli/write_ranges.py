"""write_ranges.py FOLDER: rows of 1x3 floats with a label, for models of
label-range.test: 4 classes, tables of 5 rows."""
import os
import sys

import tensor_file

folder = sys.argv[1]
x = [0.25 * k - 1 for k in range(12)]


def write(name, label, ids=None, pixels=None, kind="I32"):
    tensors = [("x", x, "f", "F32", [4, 3]),
               ("label", label, "q" if kind == "I64" else "i", kind, [4])]
    if ids:
        tensors.append(("ids", ids, "i", "I32", [4, 2]))
    if pixels:
        tensors.append(("pixels", pixels, "i", "I32", [4, 3]))
    tensor_file.write(os.path.join(folder, name + ".safetensors"), tensors)


good = [0, 3, 1, 2]
write("good", good, [0, 4, 1, 2, 3, 4, 0, 0], [0, 1, 2, 3] * 3)
write("large", [0, 3, 4, 2])
write("wide", [0, 3, 4, 2], kind="I64")
write("negative", [0, 3, 1, -1])
write("outside", good, [0, 5, 1, -2, 3, 4, 9, 0])
write("pixels", good, None, [0, 1, 2, 3, 0, 1, 2, 7, 0, 1, 2, 3])
