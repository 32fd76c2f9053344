"""Completes command lines in an interactive zsh and prints what they become.

    complete_zsh.py FOLDER LINE...

FOLDER holds the function _reprise, as it is installed. Each line is typed into a
shell of its own, so that the first completion of a shell is seen, and a second time
there; then TAB; then a key whose widget prints the line.
"""

import os
import pty
import re
import select
import sys
import time

folder, *lines = sys.argv[1:]
SETUP = f"""PS1='' RPS1='' LISTMAX=1000
fpath=({folder} $fpath)
autoload -U compinit && compinit -u -D
unsetopt beep
tell() {{ zle -I; print -r "[[$BUFFER]]"; BUFFER=''; }}
zle -N tell
bindkey '^X' tell
print ready''
"""


def read_until(shell, pattern):
    text, end = "", time.monotonic() + 120
    while not (found := re.search(pattern, text)):
        ready, _, _ = select.select([shell], [], [], end - time.monotonic())
        assert ready, "zsh does not answer; it wrote:\n" + text
        text += os.read(shell, 4096).decode(errors="replace")
    return found


for line in lines:
    process, shell = pty.fork()
    if process == 0:
        os.environ.update(TERM="dumb", HOME=folder)
        os.execlp("zsh", "zsh", "-f", "-i")
    os.write(shell, SETUP.encode())
    read_until(shell, r"ready\r")
    for _ in range(2):
        os.write(shell, (line + "\t\x18").encode())
        print(line + ":", read_until(shell, r"\[\[(.*)\]\]").group(1).rstrip())
    os.close(shell)
    os.waitpid(process, 0)
