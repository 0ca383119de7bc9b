#!/bin/bash
# generated/ is what llmc makes now, byte for byte.
exec "$(dirname "$0")/../generated.sh" "$1"
