# smollm.py PROGRAM: a conversation with SmolLM2-135M-Instruct through the openai client; the same text as from the command line.
import subprocess
import sys

import openai

from server import Server, check, finish, need_library, same

need_library()
program = sys.argv[1]
s = Server(program)
client = openai.OpenAI(base_url=f"http://{s.host}:{s.port}/v1", api_key="-", max_retries=0, timeout=600)
model = client.models.list().data[0].id

prompt = "The capital of France is"
want = subprocess.run([program, "-q", "-p", prompt, "-n", "12"], capture_output=True, text=True, check=True).stdout[:-1]
same(want, client.completions.create(model=model, prompt=prompt, max_tokens=12).choices[0].text, prompt)

messages = [{"role": "user", "content": "What is the capital of France?"}]
first = client.chat.completions.create(model=model, messages=messages, temperature=0)
same(("stop", "assistant"), (first.choices[0].finish_reason, first.choices[0].message.role), "the first answer")
check("Paris" in first.choices[0].message.content, first.choices[0].message.content)
# An answer goes back as the client gave it; a stream of the next turn, on top of the tokens of the one before.
messages += [first.choices[0].message, {"role": "user", "content": "And of Italy?"}]
text, usage = "", None
for chunk in client.chat.completions.create(model=model, messages=messages, stream=True, stream_options={"include_usage": True}):
    text += chunk.choices[0].delta.content or "" if chunk.choices else ""
    usage = chunk.usage or usage
check("Rome" in text, text)
check(usage.prompt_tokens_details.cached_tokens >= first.usage.prompt_tokens, "tokens kept:", usage)
print(repr(first.choices[0].message.content), repr(text), usage.prompt_tokens_details.cached_tokens, "tokens kept")
same(0, s.stop(), "exit code")
finish()
