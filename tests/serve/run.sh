#!/usr/bin/env bash
# run.sh PYTHON SCRIPT STUB MAKE_PROGRAM FAKE_DRIVER_FOLDER [N..]: a script of this folder, on a program of the stand-in model.
set -u
python=$1 script=$2 stub=$3 make=$4 driver=$5
shift 5
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C PYTHONPATH=$here PYTHONDONTWRITEBYTECODE=1
if [ "$script" = client ]; then
    openai=$("$here/openai_package.sh" "$python") || exit
    PYTHONPATH=$here:$openai
fi
export LD_LIBRARY_PATH=$driver
unset CUDA_DEVICE_ORDER CUDA_VISIBLE_DEVICES
"$make" "$stub" tiny weights=73227 && "$make" "$stub" bare no-tokenizer weights=73227 || exit 1
"$python" "$here/$script.py" ./tiny "$@"
