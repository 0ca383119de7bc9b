#!/bin/bash
# lines.sh LLMC ROOT: every line of a text comes from the template line that decode.map names: text outside $(..) is the same;
# --line says the same by #line, which stands only where the numbering breaks, and changes nothing else.
llmc=$1 root=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

complain() {
    echo "failed: $*"
    failed=1
}

check() {
    "$llmc" compile "$root/models/$1.json" --target "$2" --no-build -q -o pair || complain "$1 for $2 does not render"
    "$llmc" render pair.d/plan.json --line -o marked.cu && "$llmc" render pair.d/plan.json --map map -o plain.cu ||
        complain "$1 for $2 does not render from its plan"
    cmp plain.cu pair.d/decode.cu && cmp map pair.d/decode.map || complain "$1 for $2: render and compile differ"
    grep -v '^#line ' marked.cu | cmp - plain.cu || complain "$1 for $2: --line changes more than marks"

    # Text that a template line has before its first $( must begin the line that came from it.
    awk -v root="$root/" -v what="$1 for $2" '
        function fail(text) { print "failed: " what ": line " FNR ": " text; failed = 1 }
        FILENAME == "map" {
            if ($1 != FNR) fail("the map counts " $1)
            place[FNR] = $2
            lines = FNR
            next
        }
        {
            split(place[FNR], at, ":")
            if (!(at[1] in known)) {
                n = 0
                while ((getline text < (root at[1])) > 0) template[at[1], ++n] = text
                known[at[1]] = n
            }
            if (at[2] < 1 || at[2] > known[at[1]]) fail("no line " place[FNR])
            from = template[at[1], at[2]]
            if (from ~ /^[ \t]*\/\/\$/) fail(place[FNR] " is a line of Lua")
            sub(/^[ \t]*/, "", from)
            got = $0
            sub(/^[ \t]*/, "", got)
            hole = index(from, "$(")
            if (hole == 0 && got != from) fail("\"" got "\" is not " place[FNR] ": \"" from "\"")
            if (hole > 1 && index(got, substr(from, 1, hole - 1)) != 1)
                fail("\"" got "\" does not begin as " place[FNR] ": \"" from "\"")
        }
        END {
            if (lines != FNR) fail("the map has " lines " lines")
            exit failed
        }' map plain.cu || failed=1

    # What a compiler would say of each line, by #line.
    awk -v what="$1 for $2" '
        function fail(text) { print "failed: " what ": line " FNR " with marks: " text; failed = 1 }
        FILENAME == "map" { place[FNR] = $2; next }
        /^#line / {
            if (marked) fail("two marks in a row")
            if ($2 == number && $3 == "\"" file "\"") fail("a mark where the numbering does not break")
            number = $2
            file = substr($3, 2, length($3) - 2)
            marked = 1
            ++marks
            next
        }
        {
            if (file ":" number != place[++line]) fail("is " file ":" number ", the map has " place[line])
            ++number
            marked = 0
        }
        END {
            if (marks < 50) fail("hardly any marks")
            exit failed
        }' map marked.cu || failed=1
}

check tiny tiny-gpu
check llama-3.2-1b rtx-3050
exit $failed
