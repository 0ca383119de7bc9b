#!/usr/bin/env bash
# real.sh PYTHON LLMC TOKENIZER.json TINY.json: the server of a program that llmc compiles for this machine's CPU.
set -u
python=$1 llmc=$2 tokenizer=$3 config=$4
here=$(cd "$(dirname "$0")" && pwd)
command -v g++ >/dev/null || command -v clang++ >/dev/null || { echo "skipped: no g++ or clang++ here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C PYTHONPATH=$here PYTHONDONTWRITEBYTECODE=1
mkdir model bare tools
cp "$tokenizer" model/tokenizer.json
sed 's/"vocab_size": 512/"vocab_size": 576/; s/"eos_token_id": 2/"eos_token_id": 0/; s/"max_position_embeddings": 2048/"max_position_embeddings": 512/' "$config" >model/config.json
cp model/* bare
cat >model/tokenizer_config.json <<'E2'
{ "chat_template": "{% for m in messages %}{% if m.role == 'system' and loop.index0 %}{{ raise_exception('a system message comes first') }}{% endif %}{{ '<|start|>' + m.role + '\n' + m.content + '<|endoftext|>' }}{% endfor %}{% if add_generation_prompt %}{{ '<|start|>assistant\n' }}{% endif %}{% if quick %}{{ 'quick ' }}{% endif %}" }
E2
cp model/config.json model/tokenizer.json tools
cat >tools/tokenizer_config.json <<'E2'
{ "chat_template": "{% if tools %}{{ '<|start|>tools\n' }}{% for t in tools %}{{ t | tojson }}{% endfor %}{{ '<|endoftext|>' }}{% endif %}{% for m in messages %}{{ '<|start|>' + m.role + '\n' }}{% if m.content is not none %}{{ m.content }}{% endif %}{% for c in m.tool_calls or [] %}{{ 'call ' + c.function.name + c.function.arguments | tojson + ' ' + c.id }}{% endfor %}{% if m.tool_call_id %}{{ ' to ' + m.tool_call_id }}{% endif %}{{ '<|endoftext|>' }}{% endfor %}{{ '<|start|>assistant\n' }}" }
E2
"$llmc" compile tools --target cpu --weights random:7 -o tools_program -q || exit 1
"$llmc" compile model --target cpu --weights random:7 -o real -q && "$llmc" compile bare --target cpu --weights random:7 -o plain -q || exit 1
"$python" "$here/real.py" ./real ./plain ./tools_program
