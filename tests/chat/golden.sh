#!/bin/bash
# golden.sh CHAT_RENDER BUILTIN OWN [bless]: the text of the built-in templates (BUILTIN/*.jinja) for the conversations of
# OWN/builtin.json, and of our own small templates OWN/NAME.jinja for those of OWN/NAME.json or, without one, for no
# variables; as the .want beside each says.
render=$1 builtin=$2 own=$3 bless=$4
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
export TZ=UTC

# check WANT TEMPLATE CASES
check() {
    "$render" "$2" 1764500000 <"$3" >"$work/got" 2>"$work/said" || { cat "$work/said" >>"$work/got"; }
    [ -z "$bless" ] || cp "$work/got" "$1"
    diff -u "$1" "$work/got" >"$work/diff" && return
    echo "failed: $2"
    head -40 "$work/diff"
    failed=1
}

n=0
for template in "$builtin"/*.jinja; do
    check "$own/builtin.$(basename "$template" .jinja).want" "$template" "$own/builtin.json"
    n=$((n + 1))
done
echo '{}' >"$work/none"
for template in "$own"/*.jinja; do
    cases=${template%.jinja}.json
    [ -f "$cases" ] || cases=$work/none
    check "${template%.jinja}.want" "$template" "$cases"
    n=$((n + 1))
done
[ $n -ge 13 ] || { echo "failed: only $n templates"; failed=1; }
[ $failed -ne 0 ] || echo "$n templates"
exit $failed
