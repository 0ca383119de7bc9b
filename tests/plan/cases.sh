#!/bin/bash
# cases.sh LLMC MODELS FOLDER [bless]: what `llmc verify` says of good plans that were changed, word for word.
# A case is NAME.edit, a sed script for plan.json, and NAME.want, stderr and the exit code. The good plan is tiny.json's for
# tiny-gpu at 64 positions, or what a first line "# plan MODEL OPTIONS" asks for. In a folder "bad" the two digits that a name
# begins with are the number of the only rule that may object.
llmc=$1 models=$2 folder=$3 bless=$4
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0 cases=0

complain() {
    echo "failed: $*"
    failed=1
}

# Leaks are not looked for: a refusal ends the process where it stands.
run() {
    env -i PATH="$PATH" LC_ALL=C ASAN_OPTIONS=detect_leaks=0 "$llmc" "$@"
}

# The good plan of a case, made once for each kind.
good_plan() {
    local asked file
    asked=$(sed -n '1s/^# plan //p' "$1")
    asked=${asked:-tiny.json --target tiny-gpu --ctx 64}
    file=$work/$(echo "$asked" | tr ' /' '__')
    # shellcheck disable=SC2086
    [ -f "$file" ] || run plan "$models"/$asked --json >"$file" || complain "no plan for $asked"
    echo "$file"
}

for case in "$folder"/*.edit; do
    [ -f "$case" ] || continue
    cases=$((cases + 1))
    name=$(basename "$case" .edit)
    want=$folder/$name.want
    good=$(good_plan "$case")
    sed -E -f "$case" "$good" >"$work/plan.json" || complain "$name is no sed script"
    cmp -s "$good" "$work/plan.json" && complain "$name changes nothing"
    (cd "$work" && run verify plan.json 2>&1 >/dev/null; echo "exit $?") >"$work/got"
    if [ "$bless" = bless ]; then
        cp "$work/got" "$want"
    else
        diff -u "$want" "$work/got" || complain "$name"
    fi
    if [ "$(basename "$folder")" = bad ]; then
        rule=$((10#${name%%-*}))
        others=$(grep -oE 'rule [0-9]+:' "$work/got" | grep -vc "^rule $rule:$")
        [ "$others" = 0 ] && grep -q "rule $rule:" "$work/got" || complain "$name: rule $rule alone must object"
    fi
done
[ "$cases" -gt 0 ] || complain "no cases in $folder"
echo "$cases cases"
exit $failed
