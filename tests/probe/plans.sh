#!/bin/bash
# plans.sh MEASURES LLMC MODEL: a target that the probe has written is one that llmc shows and plans with.
set -u
measures=$1 llmc=$2 model=$3 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

check() { # WHAT COMMAND..
    local what=$1
    shift
    "$@" || { echo "failed: $what"; failed=1; }
}

check 'every figure is measured' "$measures" "$work/t.json" 2>"$work/said" || cat "$work/said"
check 'llmc targets shows it' "$llmc" targets "$work/t.json" >"$work/shown"
check 'the rate is measured' grep -qE '^  dram_gbs +212\.[0-9]+ +measured +llmc [0-9.]+ probe 1, ' "$work/shown"
check 'the curve is shown' grep -qE '^  rate_by_sms +\[\[1, [0-9.]+\], .*\] +measured ' "$work/shown"
check 'llmc plan takes it' "$llmc" plan "$model" --target "$work/t.json" >"$work/plan"
check 'the plan is for the card' grep -q ' on rtx-3050: 20 workers .*(212\.[0-9]* GB/s measured)' "$work/plan"
[ $failed = 0 ] || cat "$work/shown" "$work/plan"
exit $failed
