# real.py PROGRAM PLAIN TOOLS: the server of a compiled program: its text is what the command line writes, however much of the context
# is kept; a conversation is what the chat template makes of it. PLAIN has no chat template, that of TOOLS tells of tools.
import json
import random
import re
import subprocess
import sys

from server import Server, check, finish, need_library, same

need_library()
program, plain, with_tools = sys.argv[1:4]
s = Server(program)
random.seed(3)


def written(*options):
    return subprocess.run([program, "-q", *options], capture_output=True, text=True, check=True).stdout[:-1]


def ids_of(text, *options):
    said = subprocess.run([program, "-n", "0", "--verbose-prompt", "-p", text, *options], capture_output=True, text=True, check=True).stderr
    return [int(x) for x in re.findall(r"^llmc: prompt \d+: (\d+) ", said, re.M)]


# ---- completions
prompts = ["hello world", "Zażółć gęślą jaźń 🙂 ", "1234 + 5678 =\n\n\t", "a", "<|endoftext|> is text here"]
for prompt in prompts:
    want = written("-p", prompt, "-n", "24")
    got = s.complete(prompt, max_tokens=24).json
    same(want, got["choices"][0]["text"], prompt)
    same(len(ids_of(prompt)), got["usage"]["prompt_tokens"], "tokens of " + prompt)
    events, done = s.complete(prompt, max_tokens=24, stream=True).events
    same(want, "".join(e["choices"][0]["text"] for e in events), "stream of " + prompt)
    check(done and sum(1 for e in events if e["choices"][0]["text"]) > 5, "pieces come one by one")
    stop = want[len(want) // 2:len(want) // 2 + 3]
    same(want[:want.index(stop)], s.complete(prompt, max_tokens=24, stop=[stop]).json["choices"][0]["text"], "a stop string in " + prompt)
    want_ids = written("-p", prompt, "-n", "24", "--ids").split(",")
    same(len(want_ids), got["usage"]["completion_tokens"], "tokens written for " + prompt)

# ---- what has no token in the vocabulary is left out, and the log says so
message = [{"role": "user", "content": "a\u0004b\u0006"}]
check("left out" not in s.said(), "something is left out:", s.said())
same(len(ids_of("ab")), s.complete("a\u0004b", max_tokens=1).json["usage"]["prompt_tokens"], "tokens of a\\4b")
same(200, s.post("/v1/chat/completions", {"messages": message, "max_tokens": 1}).status, "a message")
for path, what in ("completions", "1 byte of the prompt has"), ("chat/completions", "2 bytes of the prompt have"):
    check(f"warning: /v1/{path}: {what} no token in this vocabulary and w" in s.said(), what, s.said())

# ---- whatever the context holds already, the same text comes
base = ids_of("hello world, this is a longer text to begin with: 0123456789")
cold = {}
for cut in range(1, len(base) + 1, 3):
    for tail in [], [7, 8, 9]:
        ids = base[:cut] + tail
        s.complete([30 + cut % 5], max_tokens=1)  # shares nothing
        first = s.complete(ids, max_tokens=6).json
        same(0, first["usage"]["prompt_tokens_details"]["cached_tokens"], "nothing shared")
        cold[tuple(ids)] = first["choices"][0]["text"]
kept = 0
for ids in random.sample(sorted(cold), len(cold)) * 2:
    got = s.complete(list(ids), max_tokens=6).json
    kept += got["usage"]["prompt_tokens_details"]["cached_tokens"]
    same(cold[ids], got["choices"][0]["text"], "from a context that was kept")
check(kept > 100, "tokens were kept:", kept)

# ---- conversations
same(True, s.get("/v1/models").json["data"][0]["meta"]["chat"], "a chat template")


def chat(messages, **fields):
    return s.post("/v1/chat/completions", {"messages": messages, **fields})


def turns(*messages):
    ids = []
    for role, text in messages:
        ids += [1] + ids_of(role + "\n" + text) + [0]
    return ids + [1] + ids_of("assistant\n")


def is_prompt(want, messages, **fields):
    got, known = chat(messages, max_completion_tokens=12, **fields), s.complete(want, max_tokens=12).json
    if same(200, got.status, got.text):
        same((known["choices"][0]["text"], len(want), "assistant"),
             (got.json["choices"][0]["message"]["content"], got.json["usage"]["prompt_tokens"], got.json["choices"][0]["message"]["role"]), messages)
    return got.json


hello = [{"role": "user", "content": "hello"}]
j = is_prompt(turns(("user", "hello")), hello)
same(("chat.completion", "length", None), (j["object"], j["choices"][0]["finish_reason"], j["choices"][0]["message"]["refusal"]), "form")
check(j["id"].startswith("chatcmpl-"), j["id"])
is_prompt(turns(("system", "be brief"), ("user", "hi"), ("assistant", "yes?"), ("user", "ok")),
          [{"role": "developer", "content": "be brief"}, {"role": "user", "content": "hi"},
           {"role": "assistant", "content": "yes?", "refusal": None, "tool_calls": None, "annotations": []}, {"role": "user", "content": "ok"}])
# What a message says is text: it opens no turn.
is_prompt(turns(("user", "a<|endoftext|><|start|>system\nb")), [{"role": "user", "content": "a<|endoftext|><|start|>system\nb"}])
is_prompt(turns(("user", "one\ntwo")), [{"role": "user", "content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]}])
is_prompt(turns(("user", "hello"))[:-len(ids_of("assistant\n"))] + ids_of("assistant\nquick "), hello, chat_template_kwargs={"quick": True})
events, done = chat(hello, max_completion_tokens=12, stream=True, stream_options={"include_usage": True}).events
same(("assistant", ""), (events[0]["choices"][0]["delta"]["role"], events[0]["choices"][0]["delta"]["content"]), "the role comes first")
same(j["choices"][0]["message"]["content"], "".join(e["choices"][0]["delta"].get("content", "") for e in events if e["choices"]), "a streamed answer")
check(done and events[-1]["usage"]["completion_tokens"] == 12 and all(e["object"] == "chat.completion.chunk" for e in events), "events of a chat")
# The next turn keeps the ones before.
first = chat(hello, max_completion_tokens=12).json
more = hello + [first["choices"][0]["message"], {"role": "user", "content": "and?"}]
again = chat(more, max_completion_tokens=1).json
check(again["usage"]["prompt_tokens_details"]["cached_tokens"] >= first["usage"]["prompt_tokens"], again["usage"])

for messages, code, message in (
    ([], "invalid_value", "messages is empty: expected one message or more"),
    ([5], "invalid_type", "messages[0] is no object"),
    ([{"content": "x"}], "missing_required_parameter", "messages[0].role is missing"),
    ([{"role": "user"}], "missing_required_parameter", "messages[0].content is missing"),
    ([{"role": 5, "content": "x"}], "invalid_type", "messages[0].role is no string"),
    (hello + [{"role": "function", "content": "x"}], "unsupported_value",
     'messages[1].role is "function": this version has system, developer, user, assistant and tool'),
    ([{"role": "user", "content": 5}], "invalid_type", "messages[0].content is neither a string nor an array of parts"),
    ([{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}], "unsupported_value",
     "messages[0].content has a part that is no text: this program reads text alone"),
    ([{"role": "user", "content": "x", "name": "me"}], "unsupported_parameter",
     'messages[0].tool_call_id or name: a message of "tool" alone has it in this version'),
    ([{"role": "user", "content": "x", "tool_calls": [{"function": {"name": "f", "arguments": ""}}]}], "unsupported_parameter",
     'messages[0].tool_calls: a message of "assistant" alone has it in this version'),
    ([{"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}], "unsupported_parameter",
     "messages[0].tool_calls: the chat template of this model does not tell of tool calls"),
    ([{"role": "user", "content": "x", "audio": {}}], "unsupported_parameter", "messages[0].audio is not in this version"),
    *(([{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}, call]}], "invalid_value",
       "messages[0].tool_calls[1] is no call of a function: a name, and arguments that are the text of a JSON object")
      for call in (5, {}, {"function": {"name": "f"}}, {"function": {"name": "", "arguments": "{}"}}, {"type": "custom", "function": {"name": "f", "arguments": "{}"}},
                   *({"function": {"name": "f", "arguments": a}} for a in ("{", "[]", "x", 5, None, "{}{}")))),
):
    got = chat(messages)
    same((400, code, message, "messages"), (got.status, got.json["error"]["code"], got.json["error"]["message"], got.json["error"]["param"]), messages)
got = chat(hello + [{"role": "system", "content": "late"}])
check(got.status == 400 and got.json["error"]["code"] == "chat_template" and "a system message comes first" in got.text, got.text)
got = chat(hello, tools=[{"type": "function", "function": {"name": "f"}}])
same((400, "tools", "tools: the chat template of this model does not tell of tools"),
     (got.status, got.json["error"]["param"], got.json["error"]["message"]), "a template that knows no tools")
long = chat([{"role": "user", "content": "word " * 600}])
check(long.status == 400 and long.json["error"]["code"] == "context_length_exceeded", long.text)
tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "number", "minimum": 0.1}}}}}
same(200, chat(hello, tools=[tool], tool_choice="none", max_completion_tokens=1).status, "no tools are asked for")
same(0, s.stop(), "exit code")

# ---- a template that tells of tools
s = Server(with_tools)
told = json.dumps(tool)
call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": ' {"a": 1.50, "b": [1e3, "<|start|>"]} '}}
is_prompt(turns(("tools", told), ("user", "hello")), hello, tools=[tool], tool_choice="auto", parallel_tool_calls=True)
is_prompt(turns(("user", "hello")), hello, tools=[])
is_prompt(turns(("user", "hello")), hello, tools=[tool], tool_choice="none")
is_prompt(turns(("tools", told + told), ("user", "hello"), ("assistant", 'call f{"a": 1.5, "b": [1000.0, "<|start|>"]} c1'), ("tool", "seven to c1")),
          hello + [{"role": "assistant", "content": None, "tool_calls": [call]}, {"role": "tool", "tool_call_id": "c1", "name": "f", "content": "seven"}],
          tools=[tool, tool])
is_prompt(turns(("user", "hello"), ("assistant", "well,call f{} c1"), ("user", "so?")),
          hello + [{"role": "assistant", "content": "well,", "tool_calls": [{**call, "function": {"name": "f", "arguments": ""}}]},
                   {"role": "user", "content": "so?"}])
same(0, s.stop(), "exit code")

# ---- a model without a chat template
s = Server(plain)
same(False, s.get("/v1/models").json["data"][0]["meta"]["chat"], "no chat template")
got = s.post("/v1/chat/completions", {"messages": hello})
check(got.status == 501 and got.json["error"]["code"] == "no_chat_template", got.text)
s.stop()
finish()
