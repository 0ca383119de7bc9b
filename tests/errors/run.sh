#!/bin/sh
# run.sh LOAD MAKE FOLDER [bless]: each case of a folder must say exactly what its .want holds, and end with the code there.
# A case is NAME.json (a config) or NAME.make (a script for MAKE, whose first line is "# load MODEL [WEIGHTS]").
# bless rewrites the .want files; the review is the diff.
load=$1 make=$2 folder=$3 bless=$4
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0 cases=0

# What one case says, then its exit code. Leaks are not looked for: a refusal ends the process where it stands.
case_output() {
    env -i PATH="$PATH" LC_ALL=C ASAN_OPTIONS=detect_leaks=0 "$load" "$@" 2>&1
    echo "exit $?"
}

for case in "$folder"/*.json "$folder"/*.make; do
    [ -f "$case" ] || continue
    cases=$((cases + 1))
    name=$(basename "$case")
    want=${case%.*}.want
    rm -rf "$work/case"
    mkdir "$work/case"
    if [ "${name%.json}" != "$name" ]; then
        cp "$case" "$work/case/"
        (cd "$work/case" && case_output "$name") >"$work/got"
    else
        arguments=$(sed -n '1s/^# load //p' "$case")
        sed -n 's/^# folder //p' "$case" | while read -r dir; do mkdir "$work/case/$dir"; done
        "$make" "$case" "$work/case" || failed=1
        # shellcheck disable=SC2086
        (cd "$work/case" && case_output $arguments) >"$work/got"
    fi
    if [ "$bless" = bless ]; then
        cp "$work/got" "$want"
    elif ! diff -u "$want" "$work/got"; then
        echo "failed: $name"
        failed=1
    fi
done
[ "$cases" -gt 0 ] || { echo "no cases in $folder"; failed=1; }
echo "$cases cases"
exit $failed
