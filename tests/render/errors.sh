#!/bin/bash
# errors.sh LLMC ROOT [bless]: what is said of broken templates, word for word. A case is errors/NAME.edit, a sed script whose
# first line "# FILE" names the template it breaks, and errors/NAME.want, stderr and the exit code. bless rewrites the latter.
llmc=$1 root=$2 bless=$3
here=$(dirname "$0")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0 cases=0

# Leaks are not looked for: a refusal ends the process where it stands.
run() {
    env -i PATH="$PATH" LC_ALL=C ASAN_OPTIONS=detect_leaks=0 "$llmc" "$@"
}

run plan "$root/models/tiny.json" --target tiny-gpu --ctx 64 --json >"$work/plan.json" || exit 1
for case in "$here"/errors/*.edit; do
    cases=$((cases + 1))
    name=$(basename "$case" .edit)
    file=$(sed -n '1s/^# //p' "$case")
    rm -rf "$work/broken"
    cp -rL "$root/templates" "$work/broken"
    chmod -R u+w "$work/broken"
    sed -E -i -f "$case" "$work/broken/$file" || failed=1
    diff -rq "$root/templates" "$work/broken" >/dev/null && { echo "failed: $name breaks nothing"; failed=1; }
    (cd "$work" && run render plan.json --templates broken 2>&1 >/dev/null; echo "exit $?") >"$work/got"
    if [ "$bless" = bless ]; then
        cp "$work/got" "${case%.edit}.want"
    elif ! diff -u "${case%.edit}.want" "$work/got"; then
        echo "failed: $name"
        failed=1
    fi
    grep -q '^exit 3$' "$work/got" || { echo "failed: $name is not refused"; failed=1; }
done
(cd "$work" && run render plan.json --templates nowhere 2>&1 >/dev/null; echo "exit $?") >"$work/got"
diff -u - "$work/got" <<"WANT" || failed=1
nowhere: error: is no folder of templates [E0300]
exit 3
WANT
[ $cases -ge 15 ] || { echo "failed: only $cases cases"; failed=1; }
exit $failed
