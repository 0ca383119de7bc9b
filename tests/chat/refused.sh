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
# made COMMAND PLACE MESSAGE: templates that no person writes.
made() {
    n=$((n + 1))
    python3 -c "import sys; sys.stdout.write($1)" >t.jinja || { echo "skipped: python3"; return; }
    echo '{}' | "$render" t.jinja >out 2>said
    code=$?
    said=$(head -1 said)
    # shellcheck disable=SC2053
    [ $code = 3 ] && [[ $said == "t.jinja:"$2": error: "*"$3"*"[E0424]" ]] && return
    echo "failed: $1"
    echo "  got exit $code and ${said:0:200}"
    failed=1
}
made "'{{ ' + '(' * 100 + 'a' + ')' * 100 + ' }}{{ ' + '('*300" '1:*' 'are nested more than 200 deep'
made "'{{ ' + 'not ' * 1000 + 'a }}'" '1:*' 'nested more than 400 deep'
made "'{{ ' + '-' * 1000 + 'a }}'" '1:*' 'nested more than 400 deep'
made "'{{ a' + '.a' * 5000 + ' }}'" '1:*' 'nested more than 2000 deep'
made "'{{ a' + ' + a' * 5000 + ' }}'" '1:*' 'nested more than 2000 deep'
made "'{{ a' + '|trim' * 5000 + ' }}'" '1:*' 'nested more than 2000 deep'
made "'{% if a %}' * 1000" '1:*' 'nested more than 400 deep'
made "'{% if a %}' + '{% elif a %}' * 1000 + '{% endif %}'" '1:*' 'nested more than 400 deep'
made "''.join('{% set a' + str(i) + ' = 1 %}' for i in range(2000))" '1:*' 'more than 1000 variables in one scope'
made "'a' * 600000" '1:1' 'the template has 600000 bytes'
[ $n -gt 40 ] || { echo "failed: only $n cases"; failed=1; }
[ $failed -ne 0 ] || echo "$n cases"
exit $failed
