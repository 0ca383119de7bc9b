#!/bin/bash
# registers.sh LLMC ROOT: -ftrace costs no spill where the kernels have hardly a register left: a worker of 1,024 threads, and packets.
# The build itself refuses spills.
llmc=$1 root=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
for target in rtx-3050 h200; do
    "$llmc" compile "$root/models/llama-3.2-1b.json" --target $target -ftrace -o traced -q >said 2>&1
    code=$?
    [ $code = 4 ] && grep -q E1000 said && { echo "skipped: $(head -1 said)"; exit 77; }
    [ $code = 0 ] || { echo "failed: $target: $(cat said)"; failed=1; }
    grep -q '"spill_bytes": 0' traced.d/report.json || { echo "failed: $target: no facts of a build"; failed=1; }
done
exit $failed
