# server.py: starts a program's server, talks to it in HTTP and in raw bytes, and counts what is wrong.
import ctypes
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time

failures = 0


def check(condition, *what):
    global failures
    if not condition:
        failures += 1
        print("failed:", *what)
    return bool(condition)


def same(want, got, what):
    return check(want == got, f"{what}: {got!r}, wanted {want!r}")


def finish():
    sys.exit(1 if failures else 0)


# Exit code 77: skipped, with a reason.
def need_library():
    try:
        ctypes.CDLL("libmicrohttpd.so.12")
    except OSError:
        print("skipped: no libmicrohttpd.so.12 here (apt-get install libmicrohttpd12)")
        sys.exit(77)


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body
        self.text = body.decode("utf-8")

    @property
    def json(self):
        return json.loads(self.text)

    # The objects of a stream, and whether its last event was [DONE].
    @property
    def events(self):
        found = [part[6:] for part in self.text.split("\n\n") if part]
        assert all(part.startswith("data: ") for part in self.text.split("\n\n") if part), self.text
        done = bool(found) and found[-1] == "[DONE]"
        return [json.loads(part) for part in found if part != "[DONE]"], done


class Server:
    def __init__(self, program, *options, env=None, quiet=True):
        name = os.path.basename(program)
        self.log = open(f"{name}.{os.getpid()}.log", "w+")
        self.process = subprocess.Popen([program, "--serve", "127.0.0.1:0", *options], stdout=subprocess.DEVNULL,
                                        stderr=self.log, env={**os.environ, **(env or {})})
        for _ in range(6000):  # a sanitized one is slow
            found = re.search(r"serves at http://([0-9.]+):([0-9]+)", self.said())
            if found or self.process.poll() is not None:
                break
            time.sleep(0.01)
        if not found:
            print("the server does not start:", self.said())
            sys.exit(1)
        self.host, self.port = found.group(1), int(found.group(2))

    def said(self):
        with open(self.log.name) as f:
            return f.read()

    def request(self, method, path, body=None, headers=None, connection=None):
        c = connection or http.client.HTTPConnection(self.host, self.port, timeout=120)
        data = json.dumps(body).encode() if isinstance(body, (dict, list)) else body
        c.request(method, path, data, headers or {})
        r = c.getresponse()
        answer = Answer(r.status, r.headers, r.read())
        if not connection:
            c.close()
        return answer

    def get(self, path, **more):
        return self.request("GET", path, **more)

    def post(self, path, body, **more):
        return self.request("POST", path, body, **more)

    def complete(self, prompt, connection=None, **fields):
        return self.post("/v1/completions", {"prompt": prompt, **fields}, connection=connection)

    # Bytes as they are; what comes until the server closes, or `seconds` have passed.
    def raw(self, data, seconds=20, half_close=False):
        s = self.connect()
        s.settimeout(seconds)
        got = b""
        try:
            s.sendall(data)
            if half_close:
                s.shutdown(socket.SHUT_WR)
            while part := s.recv(65536):
                got += part
        except (TimeoutError, ConnectionError):
            pass
        s.close()
        return got

    def connect(self):
        return socket.create_connection((self.host, self.port))

    # A number of /metrics.
    def metric(self, name, **labels):
        text = self.get("/metrics").text
        inside = ",".join(f'{k}="{v}"' for k, v in labels.items())
        found = re.search(rf"^llmc_{name}{re.escape('{' + inside + '}') if inside else ''} (\S+)$", text, re.M)
        return float(found.group(1)) if found else 0

    def wait_until(self, condition, what, seconds=60):
        for _ in range(int(seconds / 0.02)):
            if condition():
                return True
            time.sleep(0.02)
        return check(False, what)

    def threads(self):
        return len(os.listdir(f"/proc/{self.process.pid}/task"))

    def files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    # Ends it as a supervisor does; its exit code.
    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        code = self.process.wait(timeout=60)
        self.log.close()
        return code
