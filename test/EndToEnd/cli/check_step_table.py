"""The rows of a table of `reprise profile` add up to the step."""
import re
import sys

rows = []
for line in open(sys.argv[1]):
    numbers = re.search(r"(-?\d+\.\d{3})  +(-?\d+\.\d)%", line)
    if numbers:
        rows.append((re.split(r"\s{2,}", line)[0], float(numbers.group(1)),
                     float(numbers.group(2))))
assert len(rows) > 10, rows
step = rows.pop()
assert step[0] == "the step" and step[2] == 100.0, step
assert rows[-1][0] in ("between ops", "less: timing each op"), rows[-1]
# Each row is rounded.
assert abs(sum(ms for _, ms, _ in rows) - step[1]) <= 0.001 * len(rows), rows
assert abs(sum(share for _, _, share in rows) - 100) <= 0.1 * len(rows), rows
