# client.py PROGRAM: the official openai client, unchanged, on the stand-in model.
import asyncio
import sys

import openai

from server import Server, check, finish, need_library, same

need_library()
program = sys.argv[1]
whole = "_9Aeg,VW.zr_7"
key = "sk-local"
s = Server(program, "--api-key", key)
base = f"http://{s.host}:{s.port}/v1"
client = openai.OpenAI(base_url=base, api_key=key, max_retries=0)
print("openai", openai.__version__)


def raises(kind, code, param, call):
    try:
        got = call()
    except kind as error:
        same((code, param), (error.code, error.param), kind.__name__)
        return error
    check(False, kind.__name__, "was not raised:", got)


# ---- models
same(["tiny"], [m.id for m in client.models.list()], "models")
same("tiny", client.models.retrieve("tiny").id, "a model")
raises(openai.NotFoundError, "model_not_found", None, lambda: client.models.retrieve("gpt-4o"))

# ---- completions
got = client.completions.create(model="tiny", prompt="abc", max_tokens=100)
same((whole, "stop", 3, 15, 18), (got.choices[0].text, got.choices[0].finish_reason, got.usage.prompt_tokens,
     got.usage.completion_tokens, got.usage.total_tokens), "completion")
same(2, client.completions.create(model="tiny", prompt="abc").usage.prompt_tokens_details.cached_tokens, "kept")
got = client.completions.create(model="tiny", prompt=[65, 66, 67], max_tokens=3, temperature=0, top_p=1, n=1, seed=1, stop=None, user="me")
same((whole[:3], "length"), (got.choices[0].text, got.choices[0].finish_reason), "ids")
with client.completions.create(model="tiny", prompt="abc", max_tokens=100, stream=True, stream_options={"include_usage": True}) as stream:
    chunks = list(stream)
same(whole, "".join(c.choices[0].text for c in chunks if c.choices), "stream")
same((18, []), (chunks[-1].usage.total_tokens, chunks[-1].choices), "usage")
same(["stop"], [c.choices[0].finish_reason for c in chunks if c.choices and c.choices[0].finish_reason], "finish")
raw = client.with_raw_response.completions.create(model="tiny", prompt="abc", max_tokens=100)
same((200, whole), (raw.status_code, raw.parse().choices[0].text), "raw")


async def many():
    c = openai.AsyncOpenAI(base_url=base, api_key=key, max_retries=0)
    answers = await asyncio.gather(*[c.completions.create(model="tiny", prompt="abc", max_tokens=100) for _ in range(10)])
    same([whole] * 10, [a.choices[0].text for a in answers], "ten at once")
    text = ""
    async for chunk in await c.completions.create(model="tiny", prompt="abc", max_tokens=100, stream=True):
        text += chunk.choices[0].text
    same(whole, text, "a stream without waiting")
    await c.close()


asyncio.run(many())

# ---- sampling
texts = [client.completions.create(model="tiny", prompt="abc", max_tokens=50, temperature=1, top_p=0.9, seed=5, presence_penalty=0.5,
                                   frequency_penalty=0.5, logit_bias={"7": -100}).choices[0].text for _ in range(2)]
same(texts[0], texts[1], "the same seed")

got = client.completions.create(model="tiny", prompt="abc", max_tokens=5, logprobs=2).choices[0]
same((got.text, 5, 2), ("".join(got.logprobs.tokens), len(got.logprobs.token_logprobs), len(got.logprobs.top_logprobs[0])), "log-probabilities")

# ---- errors have the client's own classes
raises(openai.BadRequestError, "unsupported_parameter", "n", lambda: client.completions.create(model="tiny", prompt="a", n=2))
raises(openai.BadRequestError, "invalid_value", "temperature", lambda: client.completions.create(model="tiny", prompt="a", temperature=-1))
raises(openai.BadRequestError, "context_length_exceeded", "prompt", lambda: client.completions.create(model="tiny", prompt="a" * 300))
raises(openai.NotFoundError, "model_not_found", "model", lambda: client.completions.create(model="gpt-4o", prompt="a"))
raises(openai.NotFoundError, "not_found", None, lambda: client.embeddings.create(model="tiny", input="a"))
raises(openai.NotFoundError, "not_found", None, lambda: client.responses.create(model="tiny", input="a"))
raises(openai.AuthenticationError, "invalid_api_key", None, lambda: openai.OpenAI(base_url=base, api_key="sk-other").models.list())
s.stop()

# ---- a stream that is left stops the model; a fault in a stream is raised
s = Server(program, env={"FAKE_CUDA_TOKEN_MS": "20"})
slow = openai.OpenAI(base_url=f"http://{s.host}:{s.port}/v1", api_key="none is asked for")
stream = slow.completions.create(model="tiny", prompt="abcd", max_tokens=200, stream=True)
next(iter(stream))
stream.close()
s.wait_until(lambda: s.metric("requests_running") == 0, "what runs is stopped")
same(1, s.metric("cancelled_total"), "cancelled")
try:
    slow.with_options(timeout=0.3, max_retries=0).completions.create(model="tiny", prompt="abcd", max_tokens=200)
    check(False, "no timeout")
except openai.APITimeoutError:
    pass
s.wait_until(lambda: s.metric("requests_running") == 0, "what runs is stopped")
s.stop()
s = Server(program, env={"FAKE_CUDA_FAULT": "4:1:2:2"})
faulty = openai.OpenAI(base_url=f"http://{s.host}:{s.port}/v1", api_key="-", max_retries=0)
text = ""
try:
    for chunk in faulty.completions.create(model="tiny", prompt="abc", max_tokens=20, stream=True):
        text += chunk.choices[0].text
    check(False, "no fault was raised")
except openai.APIError as error:
    check("a K or V value is over 65504" in error.message, error.message)
check(text and whole.startswith(text), "text before the fault:", text)
raises(openai.InternalServerError, "model_error", None, lambda: faulty.completions.create(model="tiny", prompt="abc", max_tokens=20))
s.stop()
finish()
