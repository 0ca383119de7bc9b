#!/usr/bin/env bash
# smollm.sh LLMC [PYTHON]: SmolLM2-135M-Instruct, compiled for this machine's CPU, behind its server and the openai client: some minutes.
set -u
llmc=$1 python=${2:-python3}
here=$(cd "$(dirname "$0")" && pwd)
model=$("$here/../golden/smollm_gguf.sh") || exit
openai=$("$here/openai_package.sh" "$python") || exit
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C PYTHONPATH=$here:$openai PYTHONDONTWRITEBYTECODE=1
"$llmc" compile "$model" --target cpu --ctx 512 -o smollm -q || exit 1
"$python" "$here/smollm.py" ./smollm
