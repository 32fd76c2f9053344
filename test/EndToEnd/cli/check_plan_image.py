"""Looks at the pictures of plans in a run's event files.

    check_plan_image.py FOLDER RESULT.json [PICTURES]

RESULT is what the run printed with --json. The highest column of each picture
reaches the predicted peak of its program, within a pixel; red, for what is
computed again, is there exactly where the legend says so.
"""

import json
import re
import sys

from event_files import read_events, read_images

folder, result = sys.argv[1], json.load(open(sys.argv[2]))
wanted = int(sys.argv[3]) if len(sys.argv) > 3 else 1
images = read_images(folder)
texts = read_events(folder)[2]
assert len(images) == wanted, images.keys()
peaks = {"": result["predicted_peak_bytes"]}
for program in result.get("programs", []):
    peaks[", " + program["name"]] = program["predicted_peak_bytes"]


def number(pattern, text):
    return [float(n) for n in re.search(pattern, text).groups()]


def rgb(code):
    return tuple(int(code[i:i + 2], 16) for i in (1, 3, 5))


for tag, steps in images.items():
    program = tag.removeprefix("plan/memory")
    (step, (width, height, rows, text)), = steps.items()
    assert text == texts["plan/legend" + program], tag
    peak, = number(r"predicted peak, (\d+) bytes", text)
    assert peak == peaks[program], (tag, peak, peaks)
    wide, high, left, top = map(int, number(
        r"plot is the (\d+)x(\d+) pixels from \((\d+), (\d+)\)", text))
    scale, = number(r"a pixel is (\S+) bytes high", text)
    colors = {rgb(code): name for code, name in re.findall(
        r"^\| (#[0-9a-f]{6}) \| (.*?) \|", text, re.MULTILINE)}
    plot = [row[left:left + wide] for row in rows[top:top + high]]
    tallest = next(high - y for y, row in enumerate(plot)
                   if any(color in colors for color in row))
    most, = number(r"most in use at a step are (\d+) bytes", text)
    assert most <= peak and abs(tallest * scale - most) <= scale, tag
    assert abs(tallest * scale - peak) <= scale, (tallest * scale, most, peak)
    # Every kind of some size is to be seen, and no other colour stands in the
    # lowest row, which all columns reach.
    seen = {colors[color] for row in plot for color in row if color in colors}
    for code, name, most in re.findall(
            r"^\| (\S+) \| (.*?) \| (\d.*?) \|", text, re.MULTILINE):
        amount, unit = most.split()
        size = float(amount) * 1024 ** ["B", "KiB", "MiB", "GiB"].index(unit)
        assert name in seen or size < 2 * scale, (tag, name, most)
    assert all(color in colors for color in plot[-1]), tag
    strip = [color for row in rows[top + high:] for color in row]
    for name, code in re.findall(r"(\w+) (#[0-9a-f]{6})",
                                 text.split("strip below:")[1]):
        assert rgb(code) in strip, (tag, name)
    again = "recomputed" in seen, "recompute #" in text
    print(f"{tag}: step {step}, {width}x{height}, peak {int(peak)}, "
          f"recomputes {again[0]} {again[1]}")
