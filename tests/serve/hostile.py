# hostile.py PROGRAM [N]: clients that go, stall, flood and lie, and N requests in a row among them: the server answers the
# next one as if nothing had been, and holds no more memory, threads or files at the end than before.
import http.client
import random
import socket
import struct
import sys
import threading
import time

from server import Server, check, finish, need_library, same

need_library()
program = sys.argv[1]
count = int(sys.argv[2]) if len(sys.argv) > 2 else 600
whole = "_9Aeg,VW.zr_7"
random.seed(5)


def message(body, path=b"/v1/completions", length=None, more=b""):
    return b"POST %s HTTP/1.1\r\nHost: localhost\r\n%sContent-Length: %d\r\n\r\n%s" % (path, more, len(body) if length is None else length, body)


def well(s, what):
    got = s.complete("abc", max_tokens=100)
    same((200, whole), (got.status, got.json["choices"][0]["text"] if got.status == 200 else got.text), "after " + what)


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


# ---- clients that go: what runs for them stops, what waits for them never runs
s = Server(program, env={"FAKE_CUDA_TOKEN_MS": "20"})
long = b'{"prompt":"abcd","max_tokens":200,"stream":%s}'
for stream in b"true", b"false":
    for leave in socket.socket.close, reset, lambda c: c.shutdown(socket.SHUT_WR):
        steps = s.metric("generated_tokens_total")
        c = s.connect()
        c.sendall(message(long % stream))
        s.wait_until(lambda: s.metric("requests_running") == 1, "it runs")
        w = s.connect()
        w.sendall(message(long % stream))
        s.wait_until(lambda: s.metric("requests_waiting") == 1, "one waits")
        cancelled = s.metric("cancelled_total")
        leave(w)
        s.wait_until(lambda: s.metric("requests_waiting") == 0, "what waits is dropped")
        same(1, s.metric("requests_running"), "and what runs runs on")
        leave(c)
        s.wait_until(lambda: s.metric("requests_running") == 0, "what runs is stopped")
        s.wait_until(lambda: s.metric("cancelled_total") == cancelled + 2, f"both are counted, {stream} {leave}", 3)
        check(s.metric("generated_tokens_total") - steps < 100, "it went on writing for nobody")
        c.close()
        w.close()

same(12, s.metric("requests_total", path="/v1/completions", status="499"), "answers nobody took")

# ---- more than fit in the queue
answers = []


def ask():
    try:
        answers.append(s.complete("abcd", max_tokens=3).status)
    except OSError as error:
        answers.append(error)


threads = [threading.Thread(target=ask) for _ in range(30)]
for t in threads:
    t.start()
for t in threads:
    t.join()
check(answers.count(200) >= 17 and answers.count(200) + answers.count(503) == 30, "30 at once:", answers)
s.wait_until(lambda: s.metric("requests_waiting") == 0 and s.metric("requests_running") == 0, "the queue runs empty")
c = s.connect()
c.sendall(message(long % b"true") * 3)  # three requests in one write
s.wait_until(lambda: s.metric("requests_running") == 1, "the first runs")
c.close()
s.wait_until(lambda: s.metric("requests_running") == 0, "none is left")
well(s, "a flood")
same(0, s.stop(), "exit code")

# ---- faults of the model end their request alone
s = Server(program, env={"FAKE_CUDA_FAULT": "0:5:3:1"})
for stream in False, True:
    got = s.complete("abc", stream=stream)
    same((500, "server_error", "model_error"), (got.status, got.json["error"]["type"], got.json["error"]["code"]), "a fault")
    check(got.json["error"]["message"] == 'a value is NaN or infinite: layer 1, wave "attend" (5 of 9), worker 3, position 0 [E0800]', got.text)
same(200, s.get("/health").status, "health after a fault")
same(2, s.metric("faults_total"), "faults")
same(0, s.stop(), "exit code")
s = Server(program, env={"FAKE_CUDA_FAULT": "4:1:2:2"})
events, done = s.complete("abc", stream=True, max_tokens=20).events
check(not done and "error" in events[-1] and events[0]["choices"][0]["text"], "a fault in a stream:", events)
s.stop()

# A device that is lost is lost to every later request too: the server says so and leaves.
s = Server(program, env={"FAKE_CUDA_FAIL": "cuLaunchCooperativeKernel:719"})
got = s.complete("abc")
check(got.status == 500 and "cuLaunchCooperativeKernel failed: error 719" in got.text and "[E0503]" in got.text, got.text)
same(5, s.process.wait(timeout=60), "exit code")
check("tiny: error: cuLaunchCooperativeKernel failed: error 719" in s.said(), s.said())

# ---- slow ones: a request has its time as a whole
s = Server(program, "--timeout", "1")
open_at_start = s.files()
slow = [s.connect() for _ in range(20)]
for i, c in enumerate(slow):
    c.sendall(message(b"", length=1000)[:30 + 5 * i])  # headers cut off, or whole and the body missing
time.sleep(0.3)
well(s, "twenty that stall")
for c in slow:
    try:
        c.sendall(b"x")
    except OSError:
        pass
s.wait_until(lambda: s.files() <= open_at_start + 2, "those that stall are cut")
for c in slow:
    c.close()
# One that asks for a long answer and reads none of it holds up nobody.
stuck = s.connect()
stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
stuck.sendall(message(long % b"true") * 1)
well(s, "one that does not read")
stuck.close()
# All places taken by those that say nothing: they are cut, and the next gets in.
crowd = []
for _ in range(80):
    try:
        crowd.append(s.connect())
    except OSError:
        break
for _ in range(100):
    try:
        if s.get("/health").status == 200:
            break
    except OSError:
        time.sleep(0.1)
else:
    check(False, "no place becomes free")
for c in crowd:
    c.close()


def has_room():
    try:
        return s.metric("connections") <= 1
    except OSError:  # no place for this one yet
        return False


s.wait_until(has_room, "the crowd has left")
well(s, "a crowd")

# ---- huge ones
def status_of(data, **how):
    got = s.raw(data, **how)
    return int(got.split(b" ")[1]) if got.startswith(b"HTTP/1.") else got[:50]


same(413, status_of(message(b'{"prompt":"' + b"a" * (9 << 20) + b'"}', more=b"Connection: close\r\n")), "9 MB")
same(413, status_of(message(b"", length=1 << 40)), "a terabyte that is promised")
chunk = b"100000\r\n" + b"a" * (1 << 20) + b"\r\n"
head = b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
same(413, status_of(head + chunk * 12 + b"0\r\n\r\n"), "12 MB in chunks")
same(400, status_of(message(b'{"prompt":' + b"[" * 100000 + b"}", more=b"Connection: close\r\n")), "deep")
same(400, status_of(message(b'{"prompt":[' + b"0," * 500000 + b"0]}", more=b"Connection: close\r\n")), "wide")
same(400, status_of(message(b'{"prompt":"' + b"ab" * 500000 + b'"}', more=b"Connection: close\r\n")), "a long prompt")
check(status_of(b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 100000 + b"\r\n\r\n") in (400, 413, 414, 431), "a huge header")
well(s, "huge ones")

# ---- many large ones at once share a budget
s.stop()
s = Server(program)
large = b'{"prompt":"' + b"a" * 7500000
crowd = [s.connect() for _ in range(12)]
for c in crowd:
    c.sendall(message(large, length=len(large) + 2, more=b"Connection: close\r\n"))
well(s, "ninety megabytes that are not whole yet")
codes = []
for c in crowd:
    c.settimeout(60)
    c.sendall(b'"}')
    codes.append(c.recv(1000).split(b" ")[1])
    c.close()
check(codes.count(b"400") >= 7 and codes.count(b"503") >= 3 and len(codes) == 12, "large ones at once:", codes)
s.wait_until(lambda: s.complete("abc").status == 200, "room again")

# ---- malformed ones
for data in (b"\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200), b"GET / HTTP/9.9\r\n\r\n", b"\x00" * 5000, b"A" * 5000,
             b"GET /%00%ff%2e HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n{}",
             b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n{}",
             b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}",
             message(b'{"prompt":"\xff\xfe"}', more=b"Connection: close\r\n"), message(b'{"prompt":"\\ud800"}', more=b"Connection: close\r\n"),
             message(b'{"prompt":"a\\u0000b"}', more=b"Connection: close\r\n"), message(bytes(range(256)), more=b"Connection: close\r\n")):
    s.raw(data, seconds=0.3)
    s.raw(data, seconds=5, half_close=True)
well(s, "malformed ones")
check(s.process.poll() is None, "it runs on")


# ---- N in a row
def good(connection):
    text = s.complete("abc", connection=connection, max_tokens=100).json["choices"][0]["text"]
    check(text == whole, text)


def good_stream(connection):
    events, done = s.complete("abc", connection=connection, stream=True, max_tokens=100).events
    check(done and "".join(e["choices"][0]["text"] for e in events) == whole, events)


def refused(connection):
    check(s.post("/v1/completions", random.choice((b"{", b"[]", b'{"prompt":"a","n":2}', b"x" * 3000)), connection=connection).status == 400, "400")


def small(connection):
    check(s.get(random.choice(("/health", "/v1/models", "/metrics", "/")), connection=connection).status == 200, "200")


def leaves(connection):
    c = s.connect()
    c.sendall(message(b'{"prompt":"abcd","max_tokens":100,"stream":true}'))
    if random.random() < 0.5:
        c.recv(100)
    (reset if random.random() < 0.5 else socket.socket.close)(c)


def cut(connection):
    c = s.connect()
    text = message(b'{"prompt":"abcd","max_tokens":100}')
    c.sendall(text[:random.randrange(len(text))])
    (reset if random.random() < 0.5 else socket.socket.close)(c)


def run(n):
    connection = http.client.HTTPConnection(s.host, s.port, timeout=120)
    for i in range(n):
        random.choice((good, good, good_stream, refused, small, leaves, cut))(connection if random.random() < 0.8 else None)
    connection.close()


def memory():
    with open(f"/proc/{s.process.pid}/statm") as f:
        return int(f.read().split()[1]) * 4096


run(200)  # what is allocated once
s.wait_until(lambda: s.metric("connections") <= 1, "all connections end")
before = s.files(), s.threads(), memory()
began = time.monotonic()
run(count)
print(f"{count} requests, {count / (time.monotonic() - began):.0f} a second")
s.wait_until(lambda: s.metric("connections") <= 1, "all connections end")
time.sleep(0.2)
after = s.files(), s.threads(), memory()
check(after[0] <= before[0] + 1 and after[1] <= before[1] + 1, "files and threads before and after:", before, after)
with open(program, "rb") as f:
    sanitized = b"__asan_init" in f.read()  # which keeps what is freed for a while, and looks for leaks at the end
check(sanitized or after[2] - before[2] < 8 << 20, "memory before and after:", before, after)
well(s, "all of them")
same(0, s.stop(), "exit code")  # a sanitizer's would be another
check("ERROR: " not in s.said() and "runtime error" not in s.said(), s.said()[-3000:])
finish()
