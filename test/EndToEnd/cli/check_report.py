"""Opens a report in a browser, in four windows, and looks at what it does."""

import html
import json
import re
import subprocess
import sys
import tempfile

page, probe = (open(name).read() for name in sys.argv[1:3])
before = ("<script>window.probeErrors = []; addEventListener('error', e => "
          "probeErrors.push(e.message));</script>")  # fmt: skip
page = page.replace("<body>", "<body>" + before)
page = page.replace("</body>", f"<script>{probe}</script></body>")


def open_window(width, *flags):
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/page.html", "w") as out:
            out.write(page)
        done = subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu",
             "--disable-quic", "--no-first-run", "--disable-sync",
             "--disable-background-networking", "--disable-component-update",
             "--disable-dev-shm-usage", f"--user-data-dir={folder}/profile",
             f"--window-size={width},900", "--virtual-time-budget=5000",
             "--dump-dom", *flags, f"file://{folder}/page.html"],
            capture_output=True, text=True, timeout=120)  # fmt: skip
    found = re.search(r'<pre id="seen">(\{.*?)</pre>', done.stdout, re.S)
    assert found, (done.stdout[-500:], done.stderr[-2000:])
    return json.loads(html.unescape(found.group(1)))


def brightness(color):
    return sum(int(n) for n in re.findall(r"\d+", color)[:3])


for width, flags in [(1280, []), (420, []), (800, []),
                     (1280, ["--blink-settings=preferredColorScheme=0"])]:
    seen = open_window(width, *flags)
    where = (width, flags)
    assert seen["errors"] == [], (where, seen["errors"])
    assert "batch 1024" in seen["head"], seen["head"]
    assert "reprise compile mlp --batch 1024" in seen["head"]
    # Flags of the processor wait behind a word.
    assert "avx" not in seen["head"].replace("AVX", ""), seen["head"]
    assert seen["overflow"] <= 0, (where, seen["overflow"])
    assert min(seen["letters"]) >= 9.5, (where, seen["letters"])
    dark = brightness(seen["ground"]) < brightness(seen["ink"])
    assert dark == bool(flags), (where, seen["ground"])

    assert "step" in seen["focusTip"] and seen["arrow"] == 1, where
    assert "in use" in seen["words"], seen["words"]
    assert seen["zoomed"] < seen["unzoomed"], where
    assert seen["focusKept"] == "memory"
    assert seen["marked"] == 1 and seen["unfocusable"] == 0, where
    for tip in (seen["bufferTip"], seen["pointerTip"]):
        lines = [line for line in tip.split("\n") if line]
        assert len(lines) >= 4, tip
        assert any(line.startswith("addresses ") for line in lines), tip
        assert not re.search(r"[a-z](forward|backward|recompute|update),",
                             tip), tip  # fmt: skip

    assert len(set(seen["names"])) == len(seen["names"]), seen["names"]
    assert seen["sorted"] == "descending"
    assert seen["ring"] == 1, where
    assert len(seen["dots"]) > 1 and all(seen["dots"]), where
