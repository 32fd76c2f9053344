"""Writes equal numbers, 0 unless another is given.

    write_zeros.py FILE [NUMBER [TENSOR]]

Four rows `x` of four, or the tensor of four that is named.
"""
import sys

import tensor_file

path, value, name = (sys.argv[1:] + ["0", "x"][len(sys.argv) - 2:])[:3]
shape = [4, 4] if name == "x" else [4]
count = 16 if name == "x" else 4
tensor_file.write(path, [(name, [float(value)] * count, "f", "F32", shape)])
