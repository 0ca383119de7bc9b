# conversations.py: conversations for compare.py, as dicts of variables: with and without a system prompt, one and many
# turns, tools, reasoning, content in parts, odd content.
TOKENS = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}

TOOLS = [
    {"type": "function", "function": {
        "name": "get_weather", "description": "The weather of a \"place\".\nNow.",
        "parameters": {"type": "object", "properties": {
            "place": {"type": "string", "description": "Where, e.g. Zürich"},
            "days": {"type": "integer", "description": "How many", "default": 3},
            "unit": {"type": "string", "enum": ["C", "F"], "description": "Unit"},
            "more": {"type": "array", "items": {"type": "number"}},
            "deep": {"type": "object", "properties": {"x": {"type": "boolean"}}, "required": ["x"]}},
            "required": ["place"]},
        "return": {"type": "string", "description": "A text"}}},
    {"type": "function", "function": {"name": "noop", "description": "Nothing", "parameters": {
        "type": "object", "properties": {}}}},
]


def turn(role, content, **more):
    return {"role": role, "content": content, **more}


def call(name, arguments, id="call00001"):
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def plain():
    """Conversations of text alone."""
    yield [turn("user", "Hello")]
    yield [turn("system", "You are terse."), turn("user", "Hello")]
    yield [turn("user", "Hi"), turn("assistant", "Hello, how can I help?"), turn("user", "Tell me a joke.")]
    yield [turn("system", "  Be kind.\n"), turn("user", " Hi \n"), turn("assistant", "\n Hello! "),
           turn("user", "And\nnow?\n\n"), turn("assistant", "Well."), turn("user", "Thanks")]
    yield [turn("user", "Grüße aus 北京 🙂 <|im_end|> </s> [INST] {{ x }} {% y %} \\n \"quoted\" 'it''s' &amp; <b>")]
    yield [turn("system", ""), turn("user", ""), turn("assistant", ""), turn("user", "\u2028\u00a0\t x \u3000")]
    yield [turn("user", "a" * 3000), turn("assistant", "<think>\nhm\n</think>\n\nYes."), turn("user", "b")]
    yield [turn("user", "1"), turn("assistant", "<think>only"), turn("user", "2"),
           turn("assistant", "x</think>y</think>z"), turn("user", "3")]
    yield [turn("user", "Hi"), turn("assistant", "Hello")]
    yield [turn("system", "S"), turn("system", "T"), turn("user", "U")]
    yield [turn("user", "one"), turn("user", "two"), turn("assistant", "three"), turn("assistant", "four"), turn("user", "5")]
    yield [turn("assistant", "I begin."), turn("user", "ok")]
    yield [turn("developer", "Rules."), turn("user", "ok")]
    yield [turn("critic", "No such role."), turn("user", "ok")]
    yield [turn("system", "alone")]
    yield []
    yield [turn("user", "/no_think What is 2+2? /think"), turn("assistant", "4"), turn("user", "more /no_think")]
    yield [turn("user", "Ångström ΣΑΣ ﬁ ẞ ß İ ŉ")]
    yield [turn("system", "reasoning: high\n\n/no_think"), turn("user", "x"), turn("assistant", "y"), turn("user", "z")]


def rich():
    """Conversations with more than text, and the variables that belong to them."""
    parts = [{"type": "text", "text": "Look: "}, {"type": "text", "text": "text"}]
    yield [turn("user", parts)], {}
    yield [turn("system", parts), turn("user", parts), turn("assistant", parts), turn("user", "ok")], {}
    yield [turn("user", [{"type": "image"}, {"type": "text", "text": "what?"}])], {}
    yield [turn("user", None)], {}
    yield [turn("user", 5), turn("assistant", True)], {}
    yield [turn("user", "x"), turn("assistant", "y", reasoning_content="because"), turn("user", "z")], {}
    yield [turn("user", "x"), turn("assistant", "y", thinking="because", reasoning="r"), turn("user", "z")], {}
    yield [turn("user", "x")], {"enable_thinking": False}
    yield [turn("user", "x")], {"enable_thinking": True, "reasoning_effort": "high"}
    yield [turn("user", "x"), turn("assistant", "y"), turn("user", "z")], {"thinking": True, "thinking_mode": "enabled"}
    yield [turn("system", "S"), turn("user", "weather?")], {"tools": TOOLS}
    yield [turn("user", "weather?")], {"tools": TOOLS[:1]}
    done = [turn("user", "weather?"),
            turn("assistant", None, tool_calls=[call("get_weather", {"place": "Zürich", "days": 2, "unit": None})]),
            turn("tool", "sunny \"24\"", tool_call_id="call00001", name="get_weather")]
    yield done, {"tools": TOOLS}
    yield done + [turn("assistant", "It is sunny."), turn("user", "thanks")], {"tools": TOOLS}
    text = [turn("user", "weather?"),
            turn("assistant", "Let me see.", tool_calls=[call("get_weather", "{\"place\": \"Rome\"}"),
                                                         call("noop", "{}", "call00002")]),
            turn("tool", "1", tool_call_id="call00001"), turn("tool", [{"type": "text", "text": "2"}], tool_call_id="call00002"),
            turn("user", "and?")]
    yield text, {"tools": TOOLS}
    yield text, {"tools": TOOLS, "enable_thinking": False, "parallel_tool_calls": True}
    yield [turn("user", "x"), turn("assistant", "", tool_calls=[call("f", {"a": [1, 2.5, 1e20, True, None, {"b": "c"}], "q": "'\"<&"})]),
           turn("tool", {"k": "v", "n": [1]}), turn("assistant", "done")], {"tools": None}
    yield [turn("user", "docs")], {"documents": [{"title": "T", "text": "body <x>"}, {"title": "U", "text": "ü"}]}
    yield [turn("user", "x")], {"date_string": "01 Jan 2026", "tools_in_user_message": False, "builtin_tools": ["python"]}
    yield [turn("user", "json")], {"response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "object"}}}}


FLAT = [{"type": "function", "function": {"name": "add", "description": "Adds.", "parameters": {
    "type": "object", "properties": {"a": {"type": "number", "description": "One"},
                                     "b": {"type": "string", "description": "Other"}}, "required": ["a"]}}}]


def equipped():
    """Plain conversations with what some templates cannot do without."""
    more = {"tools": FLAT, "functions": '[{"name": "add"}]', "datetime": "30 Nov 2025", "custom_tools": FLAT}
    for messages in list(plain())[:12]:
        yield messages, more
        yield messages, {**more, "tools_in_user_message": False, "enable_thinking": False}


def cases():
    out = []
    for messages in plain():
        for prompt in (True, False):
            out.append({**TOKENS, "messages": messages, "add_generation_prompt": prompt, "tools": None, "documents": None})
    for messages, more in list(rich()) + list(equipped()):
        for prompt in (True, False):
            out.append({**TOKENS, "tools": None, "documents": None, "messages": messages, "add_generation_prompt": prompt, **more})
    return out
