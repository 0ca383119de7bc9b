#!/usr/bin/env python3
# terminal.py: runs a command on a terminal of its own, types what standard input says and prints what the terminal showed.
# usage: terminal.py COMMAND... <SCRIPT; lines: wait TEXT (until it is shown, behind what was waited for before), more (anything), send TEXT
# (C escapes; \\n is the Enter key), kill SIGNAL. Its exit code is the command's; 128 + N after signal N; 125: TEXT never came.
import codecs, os, pty, re, select, signal, sys, time

steps = [line.rstrip("\n").split(" ", 1) for line in sys.stdin if line.strip()]
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
shown, at, deadline = b"", 0, time.monotonic() + 30


def read():
    """More of what the terminal shows; False at its end."""
    global shown
    if not select.select([fd], [], [], 0.1)[0]:
        return True
    try:
        more = os.read(fd, 65536)
    except OSError:
        more = b""
    shown += more
    return bool(more)


def fail(why):
    sys.stdout.buffer.write(shown.replace(b"\r\n", b"\n"))
    print("\nterminal.py:", why)
    os.kill(pid, signal.SIGKILL)
    sys.exit(125)


for step in steps:
    word, text = step[0], codecs.decode(step[1].encode(), "unicode_escape").encode("latin-1") if len(step) > 1 else b""
    if word == "wait":
        while (found := shown.find(text, at)) < 0:
            if not read() or time.monotonic() > deadline:
                fail("waited for %r" % text)
        at = found + len(text)
    elif word == "more":
        while len(shown) <= at:
            if not read() or time.monotonic() > deadline:
                fail("waited for more")
        at = len(shown)
    elif word == "send":
        os.write(fd, text)
    elif word == "kill":
        os.kill(pid, getattr(signal, text.decode()))
while read():
    if time.monotonic() > deadline:
        fail("it does not end")
sys.stdout.buffer.write(shown.replace(b"\r\n", b"\n"))
status = os.waitpid(pid, 0)[1]
sys.exit(128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status))
