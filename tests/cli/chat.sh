#!/bin/bash
# --chat: turns that keep what the context has, commands, files of conversations, what ends an answer; on pipes and terminals.
. "$(dirname "$0")/common.sh"
command -v python3 >/dev/null || { echo 'skipped: no python3 to make a tokenizer'; exit 77; }
mkdir A
sed 's/"vocab_size": 512/"vocab_size": 258/; s/"eos_token_id": 2/"eos_token_id": 257/; s/2048/512/' tiny.json >A/config.json
python3 - >A/tokenizer.json <<'P'
import json
direct = list(range(33, 127)) + list(range(161, 173)) + list(range(174, 256))
letters, extra = {b: chr(b) for b in direct}, 0
for b in range(256):
    if b not in letters:
        letters[b] = chr(256 + extra)
        extra += 1
special = [{"id": 256 + i, "content": c, "special": True, "single_word": False, "lstrip": False, "rstrip": False,
            "normalized": False} for i, c in enumerate(["<|im_start|>", "<|im_end|>"])]
level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
print(json.dumps({"model": {"type": "BPE", "vocab": {letters[b]: b for b in range(256)}, "merges": []},
                  "added_tokens": special, "pre_tokenizer": level, "decoder": level}))
P
# With this seed the first answer is ASCII, so that its text is split into its own ids again.
"$llmc" compile A --target cpu --weights random:50 --chat-template chatml -o p -q || { echo 'compile A'; exit 1; }
"$llmc" compile A --target cpu --weights random:50 --chat-template none -o bare -q || { echo 'compile bare'; exit 1; }

# chat CODE STDOUT STDERR OPTIONS..: what is typed comes from stdin; figures that depend on the clock are masked.
chat() {
    local code=$1 out=$2 err=$3 got
    shift 3
    "$@" >out.txt 2>err.txt
    got=$?
    sed -E -i 's/^llmc: load .*/STATS/' err.txt
    if [ "$got" != "$code" ] || { [ "$out" != - ] && [ "$(cat out.txt)" != "$out" ]; } || [ "$(cat err.txt)" != "$err" ]; then
        fail "$*"
        echo "exit code $got, wanted $code"
        [ "$out" = - ] || diff <(echo "$out") out.txt
        diff <(echo "$err") err.txt
    fi
}

# One message: from the command line, a file, a pipe; with and without a system prompt. The ids are those of the template's text.
one=$(./p --chat -p 'Say hi' -st -n 6 -q)
must [ "$one" ]
must [ "$(echo 'Say hi' | ./p --chat -n 6 -q)" = "$one" ]
must [ "$(printf 'Say hi' | ./p -cnv -st -n 6 -q)" = "$one" ]
printf 'Say hi' >ask.txt
must [ "$(./p -f ask.txt -st -n 6 -q)" = "$one" ]
must [ "$(./p --special -p $'<|im_start|>user\nSay hi<|im_end|>\n<|im_start|>assistant\n' -n 6 -q --ids)" = \
    "$(./p -st -p 'Say hi' -n 6 -q --ids)" ]
must [ "$(./p -p 'Say hi' -sys 'Be brief' -st -n 6 -q --ids)" = "$(./p --special -n 6 -q --ids \
    -p $'<|im_start|>system\nBe brief<|im_end|>\n<|im_start|>user\nSay hi<|im_end|>\n<|im_start|>assistant\n')" ]
must [ "$(./p -p '<|im_end|>' -st -n 6 -q --ids)" != "$(./p --special -n 6 -q --ids -p $'<|im_start|>user\n<|im_end|><|im_end|>\n<|im_start|>assistant\n')" ]
must [ "$(./p -p 'Say hi' -e -sys 'a\x0ab' -st -n 6 -q --ids)" = "$(./p -p 'Say hi' -sys $'a\nb' -st -n 6 -q --ids)" ]
says 2 'p: error: -sys "a": byte 2 is zero [E0202]' ./p -p x -e -sys 'a\x00b' -st
must [ "$(./p -p x -st -n 0 -q --verbose-prompt 2>&1 | sed -n '1p;7,8p')" = 'llmc: prompt 0: 256 "<|im_start|>"
llmc: prompt 6: 120 "x"
llmc: prompt 7: 257 "<|im_end|>"' ]
chat 0 "$one" STATS ./p -p 'Say hi' -st -n 6
chat 2 '' 'p: error: -st has no message to answer: standard input is empty [E0200]' ./p -st </dev/null
./p -p 'Say hi' -st -n 6 --json -q >out.txt
must python3 -c 'import json, sys; o = json.load(open("out.txt")); sys.exit(not (o["finish_reason"] == "length" and
    o["usage"]["completion_tokens"] == 6 and o["timings"]["predicted_n"] == 6 and len(o["ids"]) == 6))'
must [ "$(./p -p 'Say hi' -st -n 4 -q --ids | tr , '\n' | wc -l)" = 4 ]

# Turns: the second prompt adds to the first, and its answer is that of the whole conversation told at once.
printf 'Say hi\n/save a.json\nAnd\\\nagain\n/stats\n/save b.json\n' | ./p --chat -n 6 >turns.txt 2>err.txt || fail turns
must [ "$(cat err.txt | sed -E 's/^llmc: load .* \| prompt ([0-9]+) tok .*/STATS \1/')" = 'note: 2 messages in a.json
STATS 31
llmc: 4 messages; context: 66 of 512 positions, 30 of them kept from before the last answer
note: 4 messages in b.json' ] || cat err.txt
printf '/load a.json\nAnd\\\nagain\n/save c.json\n' | ./p --chat -n 6 -q >again.txt || fail again
must cmp b.json c.json
must python3 - <<'P'
import json
m = json.load(open("b.json"))["messages"]
assert [x["role"] for x in m] == ["user", "assistant"] * 2 and m[2]["content"] == "And\nagain", m
P

# An answer that is no text (U+FFFD stands in it) keeps its own ids: all of it is in the context.
printf 'Say hi\nAgain\n/stats\n' | ./p --weights random:11 --chat -n 6 2>&1 >out.txt | sed 's/^llmc: load .*/STATS/' >err.txt
must grep -q $'\xef\xbf\xbd' out.txt
must [ "$(cat err.txt)" = 'STATS
llmc: 4 messages; context: 62 of 512 positions, 30 of them kept from before the last answer' ]

# What has no token in the vocabulary is left out of a turn, which -q does not hide; what was taken before is not told again.
mkdir B
cp A/config.json B
sed 's/"~": 126/"~~": 126/' A/tokenizer.json >B/tokenizer.json
"$llmc" compile B --target cpu --weights random:50 --chat-template chatml -o lacks -q || fail 'compile lacks'
chat 0 "$one" 'warning: 1 byte of the prompt has no token in this vocabulary and was left out' ./lacks -p 'Say~ hi' -st -n 6 -q
printf 'Say~~ hi\nAgain\n' | ./lacks --chat -n 6 -q >out.txt 2>err.txt || fail lacks
must [ "$(cat err.txt)" = 'warning: 2 bytes of the prompt have no token in this vocabulary and were left out' ]

# A template that tells earlier text differently: what is shared stays, and that is said. /reset and /load are no news.
printf '%s' "{% for m in messages %}{% if m.role == 'user' %}[{{ m.content }}]{% endif %}{% endfor %}:" >short.jinja
"$llmc" compile A --target cpu --weights random:50 --chat-template short.jinja -o s -q || fail 'compile s'
printf 'one\ntwo\n/reset\nthree\n' | ./s --chat -n 5 >out.txt 2>err.txt
must [ "$(cat err.txt)" = 'note: the template tells earlier text differently: 5 of 10 positions are kept, 6 are new' ]

# The context is full: before a message and in an answer, with numbers; nothing is cut off and the conversation goes on.
long=$(printf 'x%.0s' {1..80})
printf '%s\nhi\n' $long | ./p --chat -c 64 -n 4 >out.txt 2>err.txt || fail 'a message too long'
must [ "$(cat err.txt)" = 'p: error: the conversation has 99 tokens with this message, the context holds 64 [E0602]
note: /reset begins another one; nothing was cut off, the message was not sent; a larger -c is possible' ]
must [ -s out.txt ]
chat 6 '' 'p: error: the conversation has 99 tokens with this message, the context holds 64 [E0602]
note: /reset begins another one; nothing was cut off, the message was not sent; a larger -c is possible' ./p -p $long -st -c 64
chat 0 - 'note: the context is full: 64 of 64 positions; the answer ends here and nothing was cut off. /reset begins another conversation' \
    ./p --chat -c 64 --ignore-eos -p hi </dev/null

# What commands refuse; conversations that are none.
echo '{"messages":[{"role":"user"}]}' >bad.json
echo '{"messages":[' >broken.json
printf '/save\n/reset now\n/nothing\n/load none.json\n/load bad.json\n/load broken.json\n/help\n/bye\nnever\n' | ./p --chat >out.txt 2>err.txt || fail commands
must [ ! -s out.txt ]
must [ "$(head -6 err.txt)" = 'p: error: /save takes the name of a file [E0200]
p: error: /reset takes nothing behind it [E0200]
p: error: /nothing is no command: /help lists them; a space in front makes it a message [E0200]
p: error: none.json: No such file or directory [E0300]
p: error: bad.json: message 0 has no role and content that are strings [E0427]
p: error: broken.json: not JSON: a value is due at byte 14 [E0302]' ] || head -6 err.txt
must grep -q '^  /reset ' err.txt
for empty in '' '\n' ' \n\n'; do
    printf "$empty" | ./p --chat -st --json >out.txt 2>err.txt
    must [ $? = 2 ]
    must grep -q -- '-st has no message to answer: standard input is empty .E0200' err.txt
done

# What /save does not replace: the program, its weights, what is no plain file, what is no conversation.
echo notes >notes.txt
ln -s notes.txt link
sha256sum p notes.txt >sums
printf '/save p\n/save notes.txt\n/save link\n/save .\n/save bad.json\n' | ./p --chat >out.txt 2>err.txt || fail save
must sha256sum --status -c sums
must [ -L link ]
must [ "$(head -5 err.txt)" = 'p: error: /save p: this file is read here, it is not replaced [E0200]
p: error: /save notes.txt: this file is no conversation, it is not replaced [E0200]
p: error: /save link: this is no plain file, it is not replaced [E0200]
p: error: /save .: this is no plain file, it is not replaced [E0200]
p: error: /save bad.json: this file is no conversation, it is not replaced [E0200]' ] || head -5 err.txt
echo '[{"role":"system","content":"S"},{"role":"user","content":"Say hi"}]' >asked.json
must [ "$(printf '/load asked.json\n' | ./p --chat -n 6 -q)" = "$(./p -sys S -p 'Say hi' -st -n 6 -q)" ]
says 3 'bare: error: this program has no chat template [E0426]
note: llmc pack MODEL --into bare --chat-template chatml puts one in; -p continues a text without' ./bare --chat -p x
for words in '--ids-in 1' '--logits x' '--hash' '--json'; do
    ./p --chat $words >out.txt 2>err.txt
    must [ $? = 2 ]
    must grep -q '\[E0200\]' err.txt
done
must [ ! -e x ]
(./p --chat -p hi --ignore-eos | head -c 1 >/dev/null; exit ${PIPESTATUS[0]}) </dev/null 2>err.txt
must [ $? = 141 ]
./p --chat -p hi -n 3 </dev/null >/dev/full 2>err.txt
must [ $? = 9 ]

# On a terminal: Ctrl-C stops an answer, the conversation goes on; twice leaves. Also with the line editor.
if ! python3 -c 'import pty' 2>/dev/null; then
    echo 'skipped: a chat on a terminal (no python3 with pty)'
    exit $failed
fi
echo leak:wcsdup >lsan # libedit does not give back the name of a key's function
export LSAN_OPTIONS=suppressions=$PWD/lsan:print_suppressions=0
for term in dumb xterm; do
    export TERM=$term
    python3 "$here/../runtime/terminal.py" env --default-signal=INT ./p --chat --ignore-eos <<'S' >out.txt || { cat out.txt; fail "$term: one Ctrl-C"; }
wait context 512
wait >
send Say hi\n
wait Say hi
wait \n
more
send \x03
wait >
send /stats\n
wait llmc: 2 messages
wait >
send /exit\n
S
    # Before the answer has begun the message is taken back.
    python3 "$here/../runtime/terminal.py" env --default-signal=INT ./p --chat --verbose-prompt <<S >out.txt || { cat out.txt; fail "$term: Ctrl-C in a prompt"; }
wait >
send $(printf 'y%.0s' {1..400})\n
wait llmc: prompt 400:
send \x03
wait the message was taken back
wait >
send /stats\n
wait llmc: 0 messages
send /exit\n
S
    python3 "$here/../runtime/terminal.py" env --default-signal=INT ./p --chat --ignore-eos <<'S' >out.txt
wait >
send \x03
wait Ctrl-C again
wait >
send \x03
S
    must [ $? = 130 ]
    python3 "$here/../runtime/terminal.py" env --default-signal=INT ./p --chat --ignore-eos <<'S' >out.txt
wait >
send Say hi\n
wait Say hi
wait \n
more
send \x03
wait >
send \x03
S
    must [ $? = 130 ]
done
exit $failed
