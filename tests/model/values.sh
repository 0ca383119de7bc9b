#!/bin/sh
# values.sh TEST MAKE SCRIPT: makes the file and gives it to gguf_values.c.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
"$2" "$3" "$work" && "$1" "$work/values.gguf"
