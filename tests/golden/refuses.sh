#!/usr/bin/env bash
# refuses.sh: the judge sees small mistakes: each of these models, compiled with one number of its config changed a
# little, must leave the bound.
# usage: refuses.sh LLMC JUDGE MODELS_FOLDER
set -u
export LC_ALL=C
llmc=$1 judge=$2 models=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# refuse MODEL SED_EXPRESSION
refuse() {
    cp -r "$models/$1" "$work/$1"
    sed -i "$2" "$work/$1/config.json"
    cmp -s "$models/$1/config.json" "$work/$1/config.json" && { echo "$1: $2 changes nothing"; failed=1; }
    "$(dirname "$0")/tiny.sh" "$llmc" "$judge" "$work/$1" f32 >"$work/said"
    if [ $? != 1 ] || ! grep -q '^position [0-9]* of 64: ' "$work/said"; then
        echo "$1 with $2 passed:"
        cat "$work/said"
        failed=1
    fi
}

refuse rope-linear-old 's/"factor": 4.0/"factor": 4.01/'
refuse rope-llama3-old 's/"high_freq_factor": 4.0/"high_freq_factor": 4.1/'
refuse eps-large 's/"rms_norm_eps": 0.01/"rms_norm_eps": 0.0101/'
exit $failed
