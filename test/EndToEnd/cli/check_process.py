# usage: check_process.py RESULT.json [SHARE]
#
# Compares what a process was predicted to hold with the most it held; both
# ways, by SHARE (default 0.05).
import json
import sys

result = json.load(open(sys.argv[1]))
share = float(sys.argv[2]) if len(sys.argv) > 2 else 0.05
predicted = result["process_predicted_bytes"]
measured = result["process_high_water_bytes"]
print(f"predicted {predicted} measured {measured} "
      f"ratio {predicted / measured:.4f}")
sys.exit(0 if abs(predicted / measured - 1) <= share else 1)
