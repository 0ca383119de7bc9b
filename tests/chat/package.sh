#!/bin/bash
# package.sh LLMC MAKE_MODEL CHAT_PROGRAM: where a program's chat template comes from, and what becomes of it.
. "$(dirname "$0")/../cli/common.sh"
show=$3
mkdir A hf
cp "$here"/../errors/parts/hf.* "$here"/../errors/parts/tiny.* .
"$make" hf.single . || exit 1
mv hf/* A/

template() { "$llmc" check "$@" 2>/dev/null | sed -n 's/^chat template: \([^,]*\).*/\1/p'; }
is() { [ "$1" = "$2" ] || fail "got \"$1\", wanted \"$2\""; }

# A folder: none, tokenizer_config.json with one or with several, chat_template.jinja before them.
is "$(template A)" none
printf '{"chat_template": "config {{ messages|length }}{{ bos_token }}{{ eos_token }}", "bos_token": {"content": "<B>"}}' >A/tokenizer_config.json
printf '{"bos_token": "<other>", "eos_token": "<E>", "unk_token": null}' >A/special_tokens_map.json
is "$(template A)" tokenizer_config.json
"$llmc" compile A --target cpu -o a -q || exit 1
is "$("$show" a)" 'config 2<B><E>'
printf '{"chat_template": [{"name": "tools", "template": "T"}, {"name": "default", "template": "D"}]}' >A/tokenizer_config.json
says 0 'note: packed A into a and a.llmw' llmc pack A --into a
is "$("$show" a)" D
printf 'file {{ messages[1].content }}\n' >A/chat_template.jinja
is "$(template A)" chat_template.jinja
says 0 'note: packed A into a and a.llmw' llmc pack A --into a
is "$("$show" a)" 'file Ho'
must grep -q '^chat template chat_template.jinja$' <(./a --info)

# What is refused, at its place.
printf 'a\n\n b {{ x|nope }}\n' >A/chat_template.jinja
says 3 'A/chat_template.jinja:3:9: error: the filter "nope" is not supported [E0424]
    3 |  b {{ x|nope }}
      |         ^~~~
note: --chat-template NAME takes a built-in one, --chat-template none leaves it out' llmc check A
rm A/chat_template.jinja
printf '{"chat_template": "a\\n\\n\\tb {{ x|nope }}"}' >A/tokenizer_config.json
says 3 'A/tokenizer_config.json:chat_template:3:9: error: the filter "nope" is not supported [E0424]
    3 |  b {{ x|nope }}
      |         ^~~~
note: --chat-template NAME takes a built-in one, --chat-template none leaves it out' llmc compile A --target cpu -o b
must [ ! -e b ]
printf '{"chat_template": [{"name": "tools", "template": "T"}]}' >A/tokenizer_config.json
"$llmc" check A >out.txt 2>err.txt
must [ $? = 3 ]
must grep -q '^A/tokenizer_config.json:1:19: error: chat_template is a list without a "default"' err.txt
says 2 'llmc: error: --chat-template is "nope": must be a file, none, or one of chatml gemma llama2 llama3 mistral phi3 qwen zephyr [E0202]' llmc check A --chat-template nope
is "$(template A --chat-template none)" none
is "$(template A --chat-template zephyr)" '--chat-template zephyr'

# One that was asked for stays when weights are packed, with the tokens of the model that is packed.
rm A/tokenizer_config.json
"$llmc" compile tiny.json --target cpu --chat-template zephyr -o c -q || exit 1
is "$("$show" c)" "$(printf '<|user|>\nHi</s>\n<|assistant|>\nHo</s>\n<|assistant|>\n')"
printf '{"chat_template": "own", "eos_token": "<E>"}' >A/tokenizer_config.json
"$llmc" compile A --target cpu --chat-template zephyr -o c -q || exit 1
is "$("$show" c)" "$(printf '<|user|>\nHi<E>\n<|assistant|>\nHo<E>\n<|assistant|>\n')"
printf '{"chat_template": "own", "eos_token": "<F>"}' >A/tokenizer_config.json
says 0 'note: packed A into c and c.llmw' llmc pack A --into c
is "$("$show" c)" "$(printf '<|user|>\nHi<F>\n<|assistant|>\nHo<F>\n<|assistant|>\n')"
printf 'mine' >mine.jinja
says 0 'note: packed A into c and c.llmw' llmc pack A --into c --chat-template mine.jinja
says 0 'note: packed A into c and c.llmw' llmc pack A --into c
is "$("$show" c)" mine
says 0 'note: packed A into c and c.llmw' llmc pack A --into c --chat-template none
is "$("$show" c)" 'the program has no chat template'
says 0 'note: packed A into c and c.llmw' llmc pack A --into c
is "$("$show" c)" own

# What the template writes behind an answer ends it.
cat >A/tokenizer.json <<'T'
{"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "c": 2}, "merges": []},
 "added_tokens": [{"id": 3, "content": "<|im_", "special": true}, {"id": 4, "content": "<|im_end|>", "special": true},
                  {"id": 5, "content": "<|im_start|>", "special": true}],
 "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
 "decoder": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true}}
T
rm A/special_tokens_map.json
printf '{}' >A/tokenizer_config.json
says 0 'note: packed A into c and c.llmw' llmc pack A --into c --chat-template chatml
must grep -q '^eos  *2 4$' <(./c --info)
says 0 'note: packed A into c and c.llmw' llmc pack A --into c --chat-template phi3
must grep -q '^eos  *2$' <(./c --info)

# GGUF.
printf 'gguf t.gguf\ninclude tiny.keys\nkey tokenizer.chat_template str gguf{{x|nope}}\nmodel BF16\n' >script
"$make" script . || exit 1
"$llmc" check t.gguf >out.txt 2>err.txt
must [ $? = 3 ]
must grep -q '^t.gguf:tokenizer.chat_template:1:9: error: the filter "nope" is not supported' err.txt
exit $failed
