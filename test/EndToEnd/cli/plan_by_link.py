"""Plans by the link that 'reprise profile --link --json' measured."""
import json
import subprocess
import sys

link = json.load(open(sys.argv[1]))["link"]
sys.exit(subprocess.call(["reprise", "plan", "mlp", "--ranks", "3", "--batch", "6",
                          "--threads", "1", "--link", link]))
