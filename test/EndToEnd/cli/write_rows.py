"""Writes rows for a model of two inputs: "left" and "right" (N,2), "kind" (N),
1 where the sum of a row's numbers is positive."""
import random
import sys

import tensor_file

count = 64
random.seed(5)
left = [random.uniform(-1, 1) for _ in range(2 * count)]
right = [random.uniform(-1, 1) for _ in range(2 * count)]
kind = [int(sum(left[2 * i:2 * i + 2]) + sum(right[2 * i:2 * i + 2]) > 0)
        for i in range(count)]
tensor_file.write(sys.argv[1], [
    ("left", left, "f", "F32", [count, 2]),
    ("right", right, "f", "F32", [count, 2]),
    ("kind", kind, "q", "I64", [count])])
