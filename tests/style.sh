#!/bin/bash
# style.sh ROOT [BUILD]: the house rules that a script can check: files say their job in the first line and have at most 500
# lines, functions at most 60 (switch tables excepted); no generated text in C; no mutable file-scope state in the compiler
# (from the objects in BUILD); templates keep their form; nothing speaks of the machine it was written on.
root=${1:-$(dirname "$0")/..} build=$2
cd "$root" || exit 1
failed=0

complain() {
    echo "failed: $*"
    failed=1
}

# Files under version control, or all where there is none; never what is generated or built.
files() {
    { git ls-files --cached --others --exclude-standard 2>/dev/null || find . -type f -not -path './build*' -not -path './.*' |
        sed 's|^\./||'; } | grep -vE '^(generated|models|build[^/]*)/' | while read -r file; do [ ! -f "$file" ] || echo "$file"; done
}

# The first line of a file (the second of a script) names the file and its job.
check_first_line() {
    local file=$1 name=${1##*/} first
    case $name in
    *.c | *.h | *.cpp | *.cu | *.cuh | *.lua | *.sh | *.py | CMakeLists.txt) read -r first <"$file" ;;
    *) return ;;
    esac
    case $file in
    *.c | *.h | *.cpp | *.cuh) [[ $first == "// $name: "* ]] ;;
    templates/*.cu) [[ $first == "//\$ -- ${name%.cu}: "* ]] ;;
    *.cu) [[ $first == "// $name: "* ]] ;;
    *.lua) [[ $first == "-- $name: "* ]] ;;
    *.sh) [[ $first == "# "* || $(sed -n 2p "$file") == "# "* ]] ;;
    *.py) [[ $(head -2 "$file") == *"# "* || $(head -2 "$file") == *'"""'* ]] ;;
    *) [[ $first == "# "* ]] ;;
    esac || complain "$file: the first line must say its job: $first"
}

check_lengths() {
    local file=$1 lines
    case $file in
    *.c | *.h | *.cpp | *.cu | *.cuh | *.lua | *.sh | *.py)
        lines=$(wc -l <"$file")
        [ "$lines" -le 500 ] || complain "$file has $lines lines: 500 is the limit" ;;
    esac
    case $file in
    *.c | *.cpp)
        awk -v file="$file" '
            /^{/ { start = FNR; name = before; table = 0 }
            /switch \(/ { table = 1 }
            /^}/ && start {
                if (FNR - start + 1 > 60 && !table) printf "failed: %s:%d: %d lines in one function: %s\n", file, start, FNR - start + 1, name
                start = 0
            }
            { before = $0 }' "$file" | grep . && failed=1 ;;
    esac
}

for file in $(files); do
    check_first_line "$file"
    check_lengths "$file"
done
count=$(files | wc -l)
[ "$count" -gt 200 ] || complain "only $count files were looked at"

grep -rnE '"[^"]*(__global__|<svg|extern \\"C\\")' compiler --include='*.c' && complain "generated text stands in C strings: it belongs in templates/"
grep -rnE '^[[:space:]]*extern ' compiler runtime --include='*.c' && complain "extern in a .c file: it belongs in a header"
grep -nE 'static +__device__' templates/*.cu templates/device/*.cuh && complain "static __device__ in a template"
grep -nE '#[[:space:]]*include' templates/*.cu templates/device/*.cuh && complain "a template includes a header"
files | grep -vE '^tests/style.sh$' | xargs grep -nIwE 'TODO|FIXME|XXX|HACK' | grep -v 'XXXXXX' && complain "unfinished business"
files | grep -vE '^tests/style.sh$' | xargs grep -nIE '(^|[^A-Za-z0-9_.$}/-])/(work|root|srv|mnt|venv|tmp/(venv|cache|build))(/[a-z]|$)' |
    grep -vE '^tests/(build|runtime|text)/[a-z_]+\.c:' && complain "a path of somebody's machine"

# Objects of the compiler: no symbol in .data or .bss but what cleanup.c has to find in a signal handler.
if [ -n "$build" ] && ls "$build"/libllmc_base.a >/dev/null 2>&1; then
    if nm "$build/libllmc_base.a" 2>/dev/null | grep -qE '__asan|__ubsan|__tsan'; then
        echo "objects with sanitizers have data of their own: mutable state was not looked for"
    else
        nm -A -f sysv "$build"/libllmc_*.a 2>/dev/null | grep -vE 'llmc_(runtime|embedded)\.a' |
            awk -F'|' '$7 ~ /^\.(data|bss|tdata|tbss)/ && $7 !~ /rel\.ro/ { print $1 }' | grep -v 'cleanup\.c\.o:' && complain "mutable state at file scope"
        nm -A -f sysv "$build"/libllmc_base.a | grep -q 'cleanup\.c\.o.*|\.bss' || complain "nm does not show what cleanup.c has"
    fi
fi
[ $failed -ne 0 ] || echo "$count files"
exit $failed
