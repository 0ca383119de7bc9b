# start.py PROGRAM: what keeps the server from starting, and how it ends.
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time

from server import Server, check, finish, need_library, same

program = sys.argv[1]
name = os.path.basename(program)


# Runs the program to its end: exit code and what it says.
def says(code, text, *options, env=None):
    done = subprocess.run([program, "--serve", *options], capture_output=True, text=True, timeout=120,
                          env={**os.environ, **(env or {})}, stdin=subprocess.DEVNULL)
    same((code, "", text), (done.returncode, done.stdout, done.stderr.rstrip("\n")), ("--serve", *options))


def error(code, number, text, *options, note=None, env=None):
    says(code, f"{name}: error: {text} [E{number}]" + (f"\nnote: {note}" if note else ""), *options, env=env)


# ---- without the library the program is what it was; it names the package
os.mkdir("none")
open("none/libmicrohttpd.so.12", "w").close()  # found first, and no library
path = {"LD_LIBRARY_PATH": os.path.abspath("none") + ":" + os.environ.get("LD_LIBRARY_PATH", "")}
error(9, "0910", "the server needs the library libmicrohttpd: " + os.path.abspath("none") +
      "/libmicrohttpd.so.12: file too short", env=path,
      note="install it: apt-get install libmicrohttpd12   (Debian 13 calls it libmicrohttpd12t64); nothing else of this "
           "program needs it")
plain = subprocess.run([program, "-p", "abc", "-q"], capture_output=True, text=True, env={**os.environ, **path})
same((0, "_9Aeg,VW.zr_7\n"), (plain.returncode, plain.stdout), "text without the library")
linked = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
check("libmicrohttpd" not in linked, "the program is linked with the library:", linked)

need_library()

# ---- addresses
form = "expected HOST, PORT or HOST:PORT"
error(2, "0202", f'--serve is "a:b": {form}', "a:b")
error(2, "0202", f'--serve is "127.0.0.1:65536": {form}', "127.0.0.1:65536")
error(2, "0202", f'--serve is "127.0.0.1:": {form}', "127.0.0.1:")
for port in "80x", "0x50", "65536", "99999", "-1", "":
    error(2, "0202", f'--port is "{port}": expected a whole number from 0 to 65535', f"--port={port}")
error(2, "0202", 'LLMC_ARG_PORT is "80x": expected a whole number from 0 to 65535', env={"LLMC_ARG_PORT": "80x"})
error(2, "0200", "--serve 127.0.0.1:0 and --port 1 both name a port", "127.0.0.1:0", "--port", "1")
error(2, "0200", "--serve localhost and --host ::1 both name a host", "localhost", "--host", "::1")
error(9, "0911", "192.0.2.1, port 8080: Cannot assign requested address", "192.0.2.1")
error(9, "0911", "no.such.host.invalid: Name or service not known", "no.such.host.invalid:0")
taken = socket.create_server(("127.0.0.1", 0))
port = taken.getsockname()[1]
error(9, "0911", f"127.0.0.1, port {port}: Address already in use", str(port),
      note="another program serves there; --port N takes another port, --port 0 any that is free")
taken.close()
bare = subprocess.run(["./bare", "--serve"], capture_output=True, text=True)
same((3, "bare: error: this program has no tokenizer: it cannot serve text [E0335]\nnote: llmc pack MODEL --into bare   (MODEL: "
      "the Hugging Face folder or GGUF file of tiny)\n"), (bare.returncode, bare.stderr), "no tokenizer")

# ---- the end: SIGTERM is done, SIGINT is an interruption
for number, code in (signal.SIGTERM, 0), (signal.SIGINT, 130):
    s = Server(program)
    same(200, s.get("/health").status, "health")
    same(code, s.stop(number), f"exit code of {number.name}")

# What runs is cut, and told so; what waits is told so.
s = Server(program, env={"FAKE_CUDA_TOKEN_MS": "50"})
stream = s.connect()
body = b'{"prompt":"abc","max_tokens":200,"stream":true}'
post = b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
stream.sendall(post)
s.wait_until(lambda: s.metric("requests_running") == 1, "it runs")
first = stream.recv(100)
waiting = s.connect()
waiting.sendall(post)
s.wait_until(lambda: s.metric("requests_waiting") == 1, "one waits")
same(0, s.stop(), "SIGTERM in the middle")


def rest(connection):
    got = b""
    while part := connection.recv(65536):
        got += part
    return got


told = b'"message":"the server stops","type":"server_error","param":null,"code":"stopping"'
got = first + rest(stream)
check(got.startswith(b"HTTP/1.1 200 OK") and told in got and b"[DONE]" not in got, "a stream that is cut:", got)
got = rest(waiting)
check(got.startswith(b"HTTP/1.1 503 ") and told in got, "one that waited:", got)

# ---- -q hides the log, but not that a part of a prompt is left out
with socket.create_server(("127.0.0.1", 0)) as free:
    port = free.getsockname()[1]
process = subprocess.Popen([program, "--serve", str(port), "-q"], stderr=subprocess.PIPE, text=True)
for _ in range(6000):
    try:
        socket.create_connection(("127.0.0.1", port)).close()
        break
    except ConnectionError:
        time.sleep(0.01)
for prompt in "abc", "\naA\n":
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    c.request("POST", "/v1/completions", json.dumps({"prompt": prompt, "max_tokens": 2}))
    same(200, c.getresponse().status, "quiet")
    c.close()
process.send_signal(signal.SIGTERM)
same("warning: /v1/completions: 2 bytes of the prompt have no token in this vocabulary and were left out\n",
     process.communicate(timeout=60)[1], "the log with -q")

# ---- other addresses
for host in "localhost", "::1":
    try:
        socket.getaddrinfo(host, 80)
        socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET).close()
    except OSError:
        print(f"{host} is not here")
        continue
    process = subprocess.Popen([program, "--serve", "--host", host, "--port", "0"], stderr=subprocess.PIPE, text=True)
    line = process.stderr.readline()
    shown = f"[{host}]" if ":" in host else host
    if check(f"serves at http://{shown}:" in line, line):
        c = http.client.HTTPConnection(host, int(line.split(",")[0].rsplit(":", 1)[1]), timeout=20)
        c.request("GET", "/health")
        same(200, c.getresponse().status, host)
        c.close()
    process.send_signal(signal.SIGTERM)
    process.wait(timeout=60)
    process.stderr.close()
finish()
