"""Prints the table of docs/onnx.md from the table of ops: onnx_ops.py Ops.def"""
import re
import sys

LINE = re.compile(r'^ONNX_OP\("([^"]*)", (\w+), (\d+), (\d+), \w+\)')


def main(path):
    print("| op | first opset | last opset |\n|---|---|---|")
    rows = []
    for line in open(path, encoding="utf-8"):
        found = LINE.match(line)
        if found:
            domain, name, first, last = found.groups()
            rows.append((f"{domain}.{name}" if domain else name, first, last))
    for name, first, last in sorted(rows, key=lambda row: row[0].lower()):
        print(f"| `{name}` | {first} | {last} |")


main(sys.argv[1])
