# usage: check_limit.py FREE.json LIMITED.json LIMIT
#
# Without the limit the process holds more than LIMIT; with it, at most that,
# in less arena, and it computes the same loss.
import json
import sys

free, limited = (json.load(open(path)) for path in sys.argv[1:3])
limit = int(sys.argv[3])
print(free["process_high_water_bytes"], limited["process_high_water_bytes"],
      limited["process_predicted_bytes"], limit)
assert free["process_high_water_bytes"] > limit
assert limited["process_high_water_bytes"] <= limit
assert limited["process_predicted_bytes"] <= limit
assert limited["high_water_bytes"] < free["high_water_bytes"]
assert limited["loss"] == free["loss"]
