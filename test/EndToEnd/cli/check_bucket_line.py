"""The last line of a run's steps has the largest of its programs' memory."""
import re
import sys

text, log = (open(path).read() for path in sys.argv[1:])
peaks = [int(number.replace(",", "")) for number in
         re.findall(r"^program .* measured ([0-9,]+) bytes", text, re.M)]
assert len(peaks) == 2 and peaks[0] > peaks[1], text
shown = re.findall(r"memory ([0-9.]+) (KiB|MiB)$", log, re.M)[-1]
unit = {"KiB": 1024, "MiB": 1 << 20}[shown[1]]
assert abs(float(shown[0]) * unit - peaks[0]) < 0.051 * unit, (shown, peaks)
print("the arena's peak at the end")
