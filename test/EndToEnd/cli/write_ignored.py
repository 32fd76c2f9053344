"""write_ignored.py FILE: 12 images of 1x1 with four channels in three classes, or of
the label -100, as the last four rows are. FILE.kept has those of classes alone."""
import random
import sys

import tensor_file

random.seed(5)
label = [0, 1, -100, 0, 2, -100, 1, 1, -100, -100, -100, -100]
image = [random.uniform(-1, 1) for _ in range(4 * len(label))]
kept = [i for i in range(len(label)) if label[i] != -100]
for name, rows in ((sys.argv[1], range(len(label))), (sys.argv[1] + ".kept", kept)):
    tensor_file.write(name, [
        ("image", [v for i in rows for v in image[4 * i:4 * i + 4]], "f", "F32",
         [len(rows), 1, 1, 4]),
        ("label", [label[i] for i in rows], "q", "I64", [len(rows)])])
