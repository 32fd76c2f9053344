"""What `reprise profile --json` says of ops agrees with itself."""
import json
import sys

profile = json.load(open(sys.argv[1]))
ops = profile["ops"]
assert len(ops) == profile["distinct_ops"] > 5
assert sum(op["steps"] for op in ops) == profile["steps"]
assert abs(sum(op["ms"] for op in ops) - profile["sum_ms"]) < 1e-6
assert abs(profile["sum_ms"] + profile["between_ms"] - profile["step_ms"]) < 1e-6
assert [op["ms"] for op in ops] == sorted((op["ms"] for op in ops), reverse=True)
assert {op["by"] for op in ops} == {"kernel", "library"}
for op in ops:
    seconds = op["ms"] / 1e3
    rate = op["bytes"] * op["steps"] / seconds / 1e9
    assert abs(op["gigabytes_per_second"] - rate) <= 1e-6 * rate, op
    rate = op["flops"] * op["steps"] / seconds / 1e9
    assert abs(op["gflops"] - rate) <= 1e-6 * rate, op
    least = op["steps"] * max(op["flops"] / 100e9, op["bytes"] / 10e9)
    assert abs(op["of_roofline"] * seconds - least) <= 1e-6 * least, op
# A gradient of weights, of 128 rows: 128 x 256 sums of 128 products.
products = [op for op in ops if op["name"] == "matmul"
            and "f32[128,128] f32[128,256] -> f32[128,256]" in op["key"]]
assert [op["flops"] for op in products] == [2 * 128 * 128 * 256], products
assert [op["bytes"] for op in products] == [4 * 128 * (128 + 256 + 256)], products
