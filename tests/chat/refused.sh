#!/bin/bash
# refused.sh CHAT_RENDER CASES: templates that are refused. Each line of CASES is a template (\n, \t as in printf %b), a tab,
# line:column, a tab, a part of the message.
render=$1 cases=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0 n=0
while IFS=$'\t' read -r template place message; do
    case $template in '' | '##'*) continue ;; esac
    n=$((n + 1))
    printf '%b' "$template" >t.jinja
    echo '{}' | "$render" t.jinja >out 2>said
    code=$?
    said=$(head -1 said)
    [ $code = 3 ] && [[ $said == "t.jinja:$place: error: "*"$message"*"[E0424]" ]] && continue
    echo "failed: $template"
    echo "  wanted exit 3 and t.jinja:$place: error: $message"
    echo "  got exit $code and $said"
    failed=1
done <"$cases"
[ $n -gt 40 ] || { echo "failed: only $n cases"; failed=1; }
[ $failed -ne 0 ] || echo "$n cases"
exit $failed
