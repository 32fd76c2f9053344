"""check_overlap.py ALONE BESIDE BUDGET LEAST: JSON of 'reprise plan --link'.
Most sums of ALONE take place beside nothing, those of BESIDE and BUDGET nearly all
beside the computation, for at most an eighth more bytes, or within the budget
of 130%. LEAST, a budget of the bytes of ALONE, takes no more than these."""
import json
import math
import sys

plans = [json.load(open(name))["plans"][0] for name in sys.argv[1:]]
alone, beside, budget, least = plans
for plan in plans:
    for key in ("sent_bytes", "calls", "communication_milliseconds"):
        assert math.isclose(plan["scaling"][key], alone["scaling"][key]), (key, plan)
share = [p["scaling"]["waiting_milliseconds"] /
         p["scaling"]["communication_milliseconds"] for p in plans]
assert share[0] > 0.5, share
assert share[1] < 0.05 and share[2] < 0.05, share
peaks = [p["peak_bytes"] for p in plans]
assert peaks[0] < peaks[1] <= 1.126 * peaks[0], peaks
assert peaks[2] <= 1.3 * peaks[0], peaks
assert peaks[3] <= peaks[0], peaks
