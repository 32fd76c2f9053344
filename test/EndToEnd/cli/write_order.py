"""write_order.py FILE SHAPE: images of this shape, as 11x4x4x1, of random numbers,
and labels of three classes in turn."""
import math
import random
import sys

import tensor_file

shape = [int(extent) for extent in sys.argv[2].split("x")]
random.seed(1)
tensor_file.write(sys.argv[1], [
    ("image", [random.random() for _ in range(math.prod(shape))], "f", "F32",
     shape),
    ("label", [i % 3 for i in range(shape[0])], "q", "I64", shape[:1])])
