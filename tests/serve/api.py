# api.py PROGRAM: what the server answers and what it refuses, word for word, on the stand-in model.
import math
import http.client
import json
import sys
import threading

from server import Server, check, finish, need_library, same

need_library()
program = sys.argv[1]
whole = "_9Aeg,VW.zr_7"  # what this model writes behind "abc", to its end
s = Server(program)


def refused(answer, status, code, param, message):
    same((status, {"error": {"message": message, "type": answer.json["error"]["type"], "param": param, "code": code}}),
         (answer.status, answer.json), "refusal")


# ---- small answers
health = s.get("/health")
same((200, {"status": "ok"}), (health.status, health.json), "health")
same("nosniff", health.headers["X-Content-Type-Options"], "header")
check("Access-Control-Allow-Origin" not in health.headers, "a CORS header nobody asked for")
models = s.get("/v1/models").json
same(("list", ["tiny"]), (models["object"], [m["id"] for m in models["data"]]), "models")
same(256, models["data"][0]["meta"]["context"], "context of the model")
same("tiny", s.get("/v1/models/tiny").json["id"], "one model")
refused(s.get("/v1/models/other"), 404, "model_not_found", None, 'there is no model "other" here: this is "tiny"')
refused(s.get("/v2/x"), 404, "not_found", None, "there is nothing at /v2/x")
put = s.request("PUT", "/v1/completions", "{}")
refused(put, 405, "method_not_allowed", None, "/v1/completions takes POST, not PUT")
same("POST", put.headers["Allow"], "Allow")
refused(s.get("/v1/chat/completions"), 405, "method_not_allowed", None, "/v1/chat/completions takes POST, not GET")
refused(s.post("/health", {}), 405, "method_not_allowed", None, "/health takes GET, not POST")
head = s.request("HEAD", "/")
same((200, b""), (head.status, head.body), "HEAD")
page = s.get("/")
check(page.status == 200 and page.text.startswith("<!doctype html>"), "page")
check("http://" not in page.text.replace("http://www.w3.org", "") and "https://" not in page.text, "the page loads from elsewhere")

# ---- whole answers
answer = s.complete("abc", model="tiny", max_tokens=100)
same(200, answer.status, "completion")
j = answer.json
same(("text_completion", "tiny", whole, "stop", 0), (j["object"], j["model"], j["choices"][0]["text"],
     j["choices"][0]["finish_reason"], j["choices"][0]["index"]), "completion")
same({"prompt_tokens": 3, "completion_tokens": 15, "total_tokens": 18, "prompt_tokens_details": {"cached_tokens": 0}},
     j["usage"], "usage")
check(j["timings"]["prompt_n"] == 3 and j["timings"]["predicted_n"] == 15 and j["timings"]["floor_ms"] > 0, "timings")
default = s.complete("abcd").json
same((16, "length"), (default["usage"]["completion_tokens"], default["choices"][0]["finish_reason"]), "max_tokens unset")
one = s.complete("abc", max_tokens=1).json
same(("_", "length", 1), (one["choices"][0]["text"], one["choices"][0]["finish_reason"], one["usage"]["completion_tokens"]), "1 token")
check(one["id"] != j["id"], "ids of answers differ")
for prompt in [65, 66, 67], [[65, 66, 67]], ["abc"]:
    same(whole, s.complete(prompt, max_tokens=100).json["choices"][0]["text"], "a prompt as " + str(prompt))
stops = s.complete("abc", stop=["zz", "W.z"], max_tokens=100).json
same((whole[:whole.index("W.z")], "stop"), (stops["choices"][0]["text"], stops["choices"][0]["finish_reason"]), "stop strings")
same(whole[:1], s.complete("abc", stop="9", max_tokens=100).json["choices"][0]["text"], "a stop string")
full = s.complete("ab" * 128, max_tokens=100).json
same((256, 1, "length"), (full["usage"]["prompt_tokens"], full["usage"]["completion_tokens"],
                          full["choices"][0]["finish_reason"]), "a full context")

# ---- the context goes on from what it shares with the prompt, and the text is the same
s.complete("wxyz", max_tokens=2)
cold = s.complete("abcabc", max_tokens=8).json
again = s.complete("abcabc", max_tokens=8).json
same((0, 5), (cold["usage"]["prompt_tokens_details"]["cached_tokens"], again["usage"]["prompt_tokens_details"]["cached_tokens"]), "kept")
same(cold["choices"], again["choices"], "the same text from a kept context")
longer = "abcabc" + cold["choices"][0]["text"] + "!"
warm = s.complete(longer, max_tokens=8).json
check(warm["usage"]["prompt_tokens_details"]["cached_tokens"] >= 6, "a next turn keeps the one before:", warm["usage"])
s.complete("zzz", max_tokens=1)
same(s.complete(longer, max_tokens=8).json["choices"], warm["choices"], "the same text, kept or not")

# ---- streams
stream = s.complete("abc", stream=True, max_tokens=100, stream_options={"include_usage": True})
same("text/event-stream", stream.headers["Content-Type"], "type of a stream")
events, done = stream.events
check(done, "[DONE]")
same(whole, "".join(e["choices"][0]["text"] for e in events if e["choices"]), "text of a stream")
same(["stop"], [e["choices"][0]["finish_reason"] for e in events if e["choices"] and e["choices"][0]["finish_reason"]], "finish")
same(([], 18), (events[-1]["choices"], events[-1]["usage"]["total_tokens"]), "usage comes last")
check(all(e["usage"] is None for e in events[:-1]), "usage is null before")
check(len({e["id"] for e in events}) == 1, "one id")
check(events[-2]["timings"]["predicted_n"] == 15, "timings of a stream")
plain, done = s.complete("abc", stream=True, max_tokens=100).events
check(done and all("usage" not in e for e in plain), "no usage where none is asked for")
cut, done = s.complete("abc", stream=True, stop="W.z", max_tokens=100).events
same(whole[:whole.index("W.z")], "".join(e["choices"][0]["text"] for e in cut), "a stop string in a stream")

# ---- fields that change nothing
for fields in ({"temperature": 0, "top_p": 0.3}, {"temperature": 0.0, "n": 1, "best_of": 1, "seed": 7, "user": "u"},
               {"top_p": 1, "logprobs": None, "echo": False, "suffix": "", "logit_bias": {}, "presence_penalty": 0},
               {"stop": None, "stream": False, "stream_options": None, "temperature": None}, {"frequency_penalty": 0.0},
               {"repeat_last_n": 8, "repeat_penalty": 1}, {"top_k": 0, "min_p": 0}):
    got = s.complete("abc", max_tokens=100, **fields)
    check(got.status == 200 and got.json["choices"][0]["text"] == whole, fields, got.text)

# ---- sampling: a seed's text comes again, other seeds give others; what is never to come does not
def drawn(**fields):
    return s.complete("abc", max_tokens=100, temperature=1.5, top_k=0, top_p=1, min_p=0, **fields).json["choices"][0]["text"]

same(drawn(seed=3), drawn(seed=3), "one seed")
check(len({drawn(seed=n) for n in range(8)}) > 4, "eight seeds")
check(len({drawn() for n in range(8)}) > 4, "no seed")
same(whole, s.complete("abc", max_tokens=100, temperature=2, top_k=1).json["choices"][0]["text"], "top_k 1")
same(whole, s.complete("abc", max_tokens=100, temperature=2, top_p=1e-6).json["choices"][0]["text"], "top_p")
first = ord(whole[0]) - 32
got = s.complete("abc", max_tokens=1, logit_bias={str(first): -1000})
check(got.status == 200 and got.json["choices"][0]["text"] != whole[0], "a bias against the first id", got.text)
got = s.complete("abc", max_tokens=1, logit_bias={str(first): False})
check(got.json["choices"][0]["text"] != whole[0], "the first id never", got.text)
same("~" * 5, s.complete("abc", max_tokens=5, logit_bias={"94": 1000}).json["choices"][0]["text"], "a bias for one id")
got = s.complete("abc", max_tokens=30, logit_bias={"94": 2.1}, repeat_penalty=1, presence_penalty=50, repeat_last_n=-1)
same(30, len(set(got.json["choices"][0]["text"])), "no id twice")
got = s.complete("abc", max_tokens=4, logit_bias={str(n): False for n in range(96)})
same((400, "logit_bias"), (got.status, got.json["error"]["param"]), "all ids banned")
same(whole, s.complete("abc", max_tokens=100).json["choices"][0]["text"], "and after all that the largest logit")

# ---- log-probabilities: of each token of the text and of the largest, which greedy choice takes
def told(choice):
    l = choice["logprobs"]
    return list(zip(l["tokens"], l["token_logprobs"], l["top_logprobs"], l["text_offset"]))

got = s.complete("abc", max_tokens=100, logprobs=3).json["choices"][0]
entries = told(got)
same((whole, whole), (got["text"], "".join(e[0] for e in entries)), "tokens of a text")
for i, (token, logprob, top, offset) in enumerate(entries):
    check(offset == i and len(top) == 3 and logprob == max(top.values()) and top[token] == logprob < 0, "an entry", entries[i])
    check(sum(math.exp(p) for p in top.values()) < 1, "probabilities", top)
events, done = s.complete("abc", stream=True, max_tokens=100, logprobs=3).events
same(entries, [e for event in events if event["choices"] and event["choices"][0]["logprobs"] for e in told(event["choices"][0])], "a stream's entries")
got = s.complete("abc", max_tokens=100, logprobs=0, temperature=1.5, seed=1).json["choices"][0]
check(len(told(got)) == len(got["text"]) and all(not e[2] for e in told(got)), "no largest", got)

# ---- fields that are refused by name
prompt = {"prompt": "abc"}
for body, code, param, message in (
    (b"{", "invalid_json", None, "not JSON: a key is due at byte 1"),
    (b"", "invalid_json", None, "not JSON: a value is due at byte 0"),
    (b"[]", "invalid_type", None, "the body is an array: expected an object"),
    (b'{"prompt":"a","prompt":"b"}', "invalid_json", None, 'the key "prompt" stands twice in one object'),
    ({}, "missing_required_parameter", "prompt", "prompt is missing"),
    ({"prompt": None}, "missing_required_parameter", "prompt", "prompt is missing"),
    ({"prompt": 5}, "invalid_type", "prompt", "prompt is a number: expected a string or an array of ids"),
    ({"prompt": ["a", "b"]}, "unsupported_value", "prompt", "prompt has 2 texts: one request answers one"),
    ({"prompt": [1, "b"]}, "invalid_type", "prompt", "prompt is an array, but not of ids alone"),
    ({"prompt": [1, 1.5]}, "invalid_type", "prompt", "prompt is an array, but not of ids alone"),
    ({"prompt": [1, 96]}, "invalid_value", "prompt", "id 96 at index 1: the model has ids below 96"),
    ({"prompt": []}, "invalid_value", "prompt", "prompt is empty, and this model has no token that begins a text"),
    ({"prompt": ""}, "invalid_value", "prompt", "prompt is empty, and this model has no token that begins a text"),
    ({"prompt": "a" * 257}, "context_length_exceeded", "prompt",
     "prompt has 257 tokens, the context of this program holds 256; nothing is cut off"),
    ({**prompt, "model": 1}, "invalid_type", "model", "model is a number: expected a string"),
    ({**prompt, "temperature": -0.1}, "invalid_value", "temperature",
     "temperature is -0.1: expected 0 (the largest logit), or 0.001 to 1000"),
    ({**prompt, "temperature": "0"}, "invalid_type", "temperature", "temperature is a string: expected a number"),
    ({**prompt, "top_p": 0.9}, "unsupported_value", "top_p",
     "top_p has an effect in sampling alone: give a temperature too"),
    ({**prompt, "top_k": 5, "seed": 1}, "unsupported_value", "top_k", "top_k has an effect in sampling alone: give a temperature too"),
    ({**prompt, "min_p": 0.1}, "unsupported_value", "min_p", "min_p has an effect in sampling alone: give a temperature too"),
    ({**prompt, "repeat_last_n": 8}, "unsupported_value", "repeat_last_n",
     "repeat_last_n has an effect beside a penalty alone: give one too"),
    ({**prompt, "top_p": 2}, "invalid_value", "top_p", "top_p is 2: expected over 0 and at most 1 (all)"),
    ({**prompt, "top_p": 0, "temperature": 1}, "invalid_value", "top_p", "top_p is 0: expected over 0 and at most 1 (all)"),
    ({**prompt, "top_k": 1.5}, "invalid_value", "top_k", "top_k is 1.5: expected a whole number, 0 (all) or more"),
    ({**prompt, "top_k": "5"}, "invalid_type", "top_k", "top_k is a string: expected a number"),
    ({**prompt, "min_p": 1.5}, "invalid_value", "min_p", "min_p is 1.5: expected 0 (all) to 1"),
    ({**prompt, "repeat_penalty": 0}, "invalid_value", "repeat_penalty",
     "repeat_penalty is 0: expected over 0 and at most 100; 1 changes nothing"),
    ({**prompt, "repeat_last_n": -2}, "invalid_value", "repeat_last_n",
     "repeat_last_n is -2: expected a whole number: 0 (none) or more, -1 (the whole context)"),
    ({**prompt, "presence_penalty": 1e9}, "invalid_value", "presence_penalty",
     "presence_penalty is 1e+09: expected -100 to 100; 0 changes nothing"),
    ({**prompt, "seed": 0.5}, "invalid_value", "seed", "seed is 0.5: expected a whole number, -9007199254740992 or more"),
    ({**prompt, "n": 2}, "unsupported_parameter", "n", "n is not in this version, or only with the value 1"),
    ({**prompt, "logprobs": 21}, "invalid_value", "logprobs", "logprobs is 21: at most 20"),
    ({**prompt, "logprobs": True}, "invalid_type", "logprobs", "logprobs is true: expected a number"),
    ({**prompt, "echo": True}, "unsupported_parameter", "echo", "echo is not in this version"),
    ({**prompt, "logit_bias": {"96": 1}}, "invalid_value", "logit_bias", "logit_bias names id 96: the model has ids below 96"),
    ({**prompt, "logit_bias": {"x": 1}}, "invalid_value", "logit_bias", 'logit_bias: "x" is no id'),
    ({**prompt, "logit_bias": {"5": 1e30}}, "invalid_value", "logit_bias",
     "logit_bias of 5 is 1e+30: expected -1000000 to 1000000"),
    ({**prompt, "logit_bias": {"5": "1"}}, "invalid_type", "a value of logit_bias",
     "a value of logit_bias is a string: expected a number, or false (never)"),
    ({**prompt, "max_tokens": 0}, "invalid_value", "max_tokens", "max_tokens is 0: expected a whole number, 1 or more"),
    ({**prompt, "max_tokens": 1.5}, "invalid_value", "max_tokens", "max_tokens is 1.5: expected a whole number, 1 or more"),
    ({**prompt, "max_tokens": "5"}, "invalid_type", "max_tokens", "max_tokens is a string: expected a number"),
    ({**prompt, "stop": ["a"] * 5}, "invalid_value", "stop", "stop has 5 strings: at most 4"),
    ({**prompt, "stop": [""]}, "invalid_value", "stop", "stop has an empty string, or one with a zero character"),
    ({**prompt, "stop": [5]}, "invalid_type", "stop", "stop is a number: expected an array of strings"),
    ({**prompt, "stream": 1}, "invalid_type", "stream", "stream is a number: expected true or false"),
    ({**prompt, "stream_options": {}}, "invalid_value", "stream_options", 'stream_options belongs to "stream": true'),
    ({**prompt, "stream": True, "stream_options": {"x": 1}}, "unknown_parameter", "stream_options",
     "stream_options.x is not known here"),
    ({**prompt, "messages": []}, "unknown_parameter", "messages", 'the field "messages" is not known here'),
    ({**prompt, "typical_p": 0.5}, "unknown_parameter", "typical_p", 'the field "typical_p" is not known here'),
):
    refused(s.post("/v1/completions", body), 400, code, param, message)
refused(s.complete("abc", model="gpt"), 404, "model_not_found", "model", 'there is no model "gpt" here: this is "tiny"')
user = [{"role": "user", "content": "x"}]
for fields, param, message in (
    ({"functions": [{}]}, "functions", "functions is not in this version"),
    ({"reasoning_effort": "low"}, "reasoning_effort", "reasoning_effort is not in this version"),
    ({"store": True}, "store", "store is not in this version"),
):
    refused(s.post("/v1/chat/completions", {"messages": user, **fields}), 400, "unsupported_parameter", param, message)
for fields, param, message in (
    ({"tools": [{"type": "function"}]}, "tools", "tools[0] is no function with a name"),
    ({"tools": [{"type": "function", "function": {"name": "f"}}, {"type": "custom", "function": {"name": "f"}}]}, "tools",
     "tools[1] is no function with a name"),
    ({"logprobs": True, "top_logprobs": 21}, "top_logprobs", "top_logprobs is 21: at most 20"),
    ({"top_logprobs": 2}, "top_logprobs", 'top_logprobs belongs to "logprobs": true'),
    ({"top_logprobs": 2, "logprobs": False}, "top_logprobs", 'top_logprobs belongs to "logprobs": true'),
):
    refused(s.post("/v1/chat/completions", {"messages": user, **fields}), 400, "invalid_value", param, message)
for fields, param, message in (
    ({"response_format": {"type": "json_object"}}, "response_format",
     'response_format "json_object" is not in this version: it has "text"'),
    ({"tool_choice": "required"}, "tool_choice", 'tool_choice: this version has "auto" and "none"'),
    ({"tools": [{"function": {"name": "f"}}], "parallel_tool_calls": False}, "parallel_tool_calls",
     "parallel_tool_calls false is not in this version: how many calls there are is the model's matter"),
    ({"modalities": ["text", "audio"]}, "modalities", 'modalities: this program makes ["text"]'),
    ({"chat_template_kwargs": {"quick": True, "messages": []}}, "chat_template_kwargs",
     "chat_template_kwargs may not set messages, which the request and the model say"),
    ({"chat_template_kwargs": {"add_generation_prompt": False}}, "chat_template_kwargs",
     "chat_template_kwargs may not set add_generation_prompt, which the request and the model say"),
):
    refused(s.post("/v1/chat/completions", {"messages": user, **fields}), 400, "unsupported_value", param, message)

# ---- one connection, many requests; many connections at once
c = http.client.HTTPConnection(s.host, s.port, timeout=60)
for _ in range(20):
    same(whole, s.complete("abc", connection=c, max_tokens=100).json["choices"][0]["text"], "kept alive")
    same(200, s.get("/health", connection=c).status, "kept alive")
    same(400, s.post("/v1/completions", b"{", connection=c).status, "kept alive")
c.close()
texts = []
threads = [threading.Thread(target=lambda: texts.append(s.complete("abc", max_tokens=100).json["choices"][0]["text"])) for _ in range(12)]
for t in threads:
    t.start()
for t in threads:
    t.join()
same([whole] * 12, texts, "twelve at once")

# ---- figures
same(1, s.metric("requests_total", path="/v2/x", status="404") + s.metric("requests_total", path="other", status="404"), "404s")
check(s.metric("generated_tokens_total") > 500 and s.metric("prompt_tokens_kept_total") > 10, "counters")
check(0 < s.metric("decode_floor_seconds_total") < s.metric("decode_seconds_total"), "share of the floor")
same((256, 0, 0), (s.metric("context_tokens"), s.metric("requests_waiting"), s.metric("requests_running")), "gauges")
for line in s.get("/metrics").text.splitlines():
    check(line.startswith(("# HELP llmc_", "# TYPE llmc_", "llmc_")), "a line of /metrics:", line)
lines = s.said().splitlines()
check(lines[1].startswith("llmc: /v1/completions 405, method_not_allowed"), lines[1])
first = next(x for x in lines if " 200" in x)
check(first.startswith("llmc: /v1/completions 200, end of text | waited ") and "| kept 0 tok | prompt 3 tok " in first and
      " | floor ~" in first, first)
same(0, s.stop(), "SIGTERM")
finish()
