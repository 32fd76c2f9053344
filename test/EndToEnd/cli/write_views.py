"""write_views.py FILE: 24 cases of 3 views of 8x8 with one channel, as (N,V,H,W,C),
and a label each. One view of a case, not always the same, has a bright side; the
label says which side."""
import random
import sys

import tensor_file

count, views, side = 24, 3, 8
random.seed(7)
image, label = [], []
for case in range(count):
    label.append(case % 2)
    telling = random.randrange(views)
    for view in range(views):
        for row in range(side):
            for column in range(side):
                value = random.uniform(-0.2, 0.2)
                if view == telling and column // (side // 2) == label[-1]:
                    value += 1.0
                image.append(value)
tensor_file.write(sys.argv[1], [
    ("image", image, "f", "F32", [count, views, side, side, 1]),
    ("label", label, "i", "I32", [count])])
