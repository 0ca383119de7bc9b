# page.py PROGRAM [FOLDER]: the page at /, in a browser: what its fields say is what the server is asked, an answer comes piece by
# piece and is stopped. FOLDER: pictures of it go there.
import os
import sys

from browser import Browser
from server import Server, check, finish, need_library, same

need_library()
program = sys.argv[1]
pictures = sys.argv[2] if len(sys.argv) > 2 else None
s = Server(program, env={"FAKE_CUDA_TOKEN_MS": "5"})
b = Browser(f"http://{s.host}:{s.port}/")
b.wait("document.getElementById('model').textContent !== 'llmc'")
same("raw", b.value("document.getElementById('mode').value"), "without a chat template it goes on with a text")


def picture(name, width=900, height=700):
    if pictures:
        b.picture(os.path.join(pictures, name), width, height)


# The text of the last turn when it is all there, and the line below it.
def answer(text, **fields):
    for name in "most", "temperature", "seed":
        b.fill(name, str(fields.get(name, "")))
    b.fill("text", text)
    b.click("send")
    b.wait("running === null && document.querySelector('.turn:last-child .figures')")
    return (b.value("document.querySelector('.turn:last-child p').textContent"),
            b.value("document.querySelector('.turn:last-child .figures').textContent"))


def want(**fields):
    return "abc" + s.complete("abc", **fields).json["choices"][0]["text"]


picture("empty.png")
text, figures = answer("abc", most=100)
same(want(max_tokens=100), text, "the largest logits")
check("tok/s" in figures and "tokens" in figures, figures)
drawn = [answer("abc", most=100, temperature=1.5, seed=n)[0] for n in (3, 3, 4)]
same(want(max_tokens=100, temperature=1.5, seed=3), drawn[0], "a temperature and a seed")
same(drawn[0], drawn[1], "the same seed")
check(drawn[2] != drawn[0], "another seed", drawn)
text, figures = answer("abc", temperature=0.0001)
same(("abc", "temperature is 0.0001: expected 0 (the largest logit), or 0.001 to 1000"), (text, figures), "what the server refuses")
picture("answers.png")
picture("narrow.png", 380, 700)

# It is stopped, and the next one is answered.
b.fill("temperature", "")
b.fill("most", "")
b.fill("text", "abcd")
b.click("send")
b.wait("running && document.querySelector('.turn:last-child p').textContent.length > 6")
b.click("stop")
b.wait("running === null")
same("stopped", b.value("document.querySelector('.turn:last-child .figures').textContent"), "Stop")
s.wait_until(lambda: s.metric("requests_running") == 0, "the model stops too")
same(want(max_tokens=100), answer("abc", most=100)[0], "after Stop")
b.click("fresh")
same(0, b.value("document.querySelectorAll('.turn').length"), "New")
same([], b.faults, "errors of the page")
b.close()
same(0, s.stop(), "exit code")
finish()
