"""write_counts.py FILE: 24 images of 1x1 with four channels; 12 of class 0, 8 of
class 1, 4 of class 2."""
import random
import sys

import tensor_file

random.seed(3)
label = [0] * 12 + [1] * 8 + [2] * 4
random.shuffle(label)
image = [random.uniform(-1, 1) + label[i // 4] for i in range(4 * len(label))]
tensor_file.write(sys.argv[1], [
    ("image", image, "f", "F32", [len(label), 1, 1, 4]),
    ("label", label, "i", "I32", [len(label)])])
