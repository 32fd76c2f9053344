"""The table of files in docs/reprise.md, from the list in the source.

    file_endings.py FileEndings.def         prints it
    file_endings.py FileEndings.def PAGE    fails where the page has another one
"""

import re
import sys

USES = {
    "Image": "read as an image",
    "Volume": "read as a volume",
    "UnreadImage": "refused by name; left out with `--skip-bad-files`",
    "UnreadVolume": "refused by name; left out with `--skip-bad-files`",
}


def table(source):
    entries = re.findall(r'^FILE_ENDING\("([^"]+)", (\w+), "([^"]+)"\)',
                         source, re.M)
    assert len(entries) == source.count("\nFILE_ENDING(")
    rows = {}
    for ending, use, what in entries:
        rows.setdefault((use, what), []).append(f"`{ending}`")
    lines = ["| files | endings, in any letter case | what happens |",
             "|---|---|---|"]
    for (use, what), endings in rows.items():
        lines.append(f"| {what} | {', '.join(endings)} | {USES[use]} |")
    lines.append("| others | | counted by ending, reported, left out |")
    lines.append("| all | in no folder of a class, or next to archives | "
                 "counted, reported, left out |")
    lines.append("| hidden | names that begin with a dot | counted, reported, "
                 "left out |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    text = table(open(sys.argv[1]).read())
    if len(sys.argv) == 2:
        sys.stdout.write(text)
    elif text not in open(sys.argv[2]).read():
        sys.exit(f"{sys.argv[2]} has another table; its lines are to be:\n"
                 + text)
