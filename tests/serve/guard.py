# guard.py PROGRAM: who may use the server: the key, and which pages of a browser.
import socket
import subprocess
import sys

from server import Server, check, finish, need_library, same

need_library()
program = sys.argv[1]
key = "sk-secret"


def code(answer):
    return (answer.status, answer.json["error"]["code"])


def bearer(text):
    return {"Authorization": text}


# ---- a key, from the command line or the environment
for options, env in (["--api-key", key], {}), ([], {"LLMC_ARG_API_KEY": key}):
    s = Server(program, *options, env=env)
    body = {"prompt": "abc", "max_tokens": 100}
    for wrong in {}, bearer(key), bearer("Basic " + key):
        got = s.post("/v1/completions", body, headers=wrong)
        same((401, "missing_api_key"), code(got), wrong)
        same("Bearer", got.headers["WWW-Authenticate"], "WWW-Authenticate")
    for wrong in "Bearer ", "Bearer sk-secre", "Bearer sk-secrets", "Bearer sk-secreT", "Bearer x":
        same((401, "invalid_api_key"), code(s.post("/v1/completions", body, headers=bearer(wrong))), wrong)
        same((401, "invalid_api_key"), code(s.get("/v1/models", headers=bearer(wrong))), wrong)
    same((401, "missing_api_key"), code(s.get("/metrics")), "metrics")
    same(200, s.get("/health").status, "health needs no key")
    same(200, s.get("/").status, "the page needs no key")
    for right in "Bearer " + key, "bearer " + key:
        same(200, s.post("/v1/completions", body, headers=bearer(right)).status, right)
    same(200, s.get("/metrics", headers=bearer("Bearer " + key)).status, "metrics")
    check(key not in s.said(), "the key is in the log")
    s.stop()

# ---- pages of other sites, names of other machines
s = Server(program)
here = f"127.0.0.1:{s.port}"
body = {"prompt": "abc", "max_tokens": 1}
for origin, status in (f"http://{here}", 200), (f"http://localhost:{s.port}", 403), ("http://evil.example", 403), ("null", 403), ("", 403):
    got = s.post("/v1/completions", body, headers={"Origin": origin})
    same(status, got.status, "Origin: " + origin)
    check("Access-Control-Allow-Origin" not in got.headers, "CORS header for", origin)
    if status == 403:
        same("origin_not_allowed", got.json["error"]["code"], origin)
for host, status in ((here, 200), ("localhost", 200), (f"LOCALHOST:{s.port}", 200), ("chat.localhost:80", 200), ("[::1]:80", 200), ("127.0.0.2", 200),
                     ("evil.example", 403), (f"evil.example:{s.port}", 403), ("127.0.0.1.evil.example", 403), ("xlocalhost", 403), ("192.168.0.1", 403), ("", 403)):
    got = s.get("/v1/models", headers={"Host": host})
    same(status, got.status, "Host: " + host)
    if status == 403:
        same("host_not_allowed", got.json["error"]["code"], host)
preflight = {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
same(403, s.request("OPTIONS", "/v1/completions", headers=preflight).status, "preflight")
got = s.raw(b"GET /health HTTP/1.0\r\n\r\n")
check(got.startswith(b"HTTP/1.0 200 OK") or got.startswith(b"HTTP/1.1 200 OK"), "HTTP/1.0 without a Host:", got)
s.stop()

# ---- CORS that is asked for
for allowed, origin, answered in (("http://app.example", "http://app.example", "http://app.example"), ("*", "http://evil.example", "*"),
                                  ("http://app.example", "http://evil.example", None)):
    s = Server(program, "--cors", allowed)
    got = s.request("OPTIONS", "/v1/chat/completions", headers={**preflight, "Origin": origin})
    same((204 if answered else 403, answered), (got.status, got.headers["Access-Control-Allow-Origin"]), ("preflight", allowed, origin))
    if answered:
        same(("GET, POST", "authorization", "Origin"), (got.headers["Access-Control-Allow-Methods"],
             got.headers["Access-Control-Allow-Headers"], got.headers["Vary"]), "preflight")
    got = s.post("/v1/completions", body, headers={"Origin": origin})
    same((200 if answered else 403, answered), (got.status, got.headers["Access-Control-Allow-Origin"]), (allowed, origin))
    s.stop()

# ---- all machines, when asked for; then a name may be any
note = subprocess.Popen([program, "--serve", "0.0.0.0:0"], stderr=subprocess.PIPE, text=True)
first, second = note.stderr.readline(), note.stderr.readline()
check("serves at http://0.0.0.0:" in first and "is open to other machines and there is no --api-key" in second, first, second)
port = int(first.split(",")[0].rsplit(":", 1)[1])
c = socket.create_connection(("127.0.0.1", port))
c.sendall(b"GET /health HTTP/1.1\r\nHost: my.machine\r\nConnection: close\r\n\r\n")
check(c.recv(1000).startswith(b"HTTP/1.1 200"), "another name")
c.close()
note.terminate()
note.wait(timeout=60)
note.stderr.close()
finish()
