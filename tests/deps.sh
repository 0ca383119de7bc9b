#!/bin/bash
# deps.sh ROOT: every #include "..." of compiler/ and runtime/ goes down the list of deps.txt; headers of other projects stand
# where they belong: lua.h in render/, cJSON.h in base/json.c, the driver's and NVRTC's nowhere; C++ only in runtime/simt/.
root=${1:-$(dirname "$0")/..}
cd "$root" || exit 1
failed=0

complain() {
    echo "failed: $*"
    failed=1
}

# What may stand behind the colon of a folder's line.
allowed() {
    sed -n "s/^$1 *://p" tests/deps.txt
}

# check FILE INCLUDED: both paths from the root.
check() {
    local file=$1 included=$2 folder other
    [ -f "$included" ] || { complain "$file includes $included, which is not there"; return; }
    folder=$(dirname "$file") other=$(dirname "$included")
    [ "$folder" != "$other" ] || return
    case "$folder $other" in
    "runtime "* | "runtime/"*" "*)
        case $other in
        runtime | runtime/reference | runtime/serve) [ "$folder" != runtime/simt ] || complain "$file includes $included: the shim stands alone" ;;
        *) complain "$file includes $included: the runtime includes nothing of the compiler" ;;
        esac ;;
    *" runtime")
        case " $(allowed shared) " in
        *" $(basename "$included") "*) ;;
        *) complain "$file includes $included: of runtime/ the compiler shares$(allowed shared)" ;;
        esac ;;
    "compiler "*) ;;
    *)
        case " $(allowed "${folder#compiler/}") " in
        *" ${other#compiler/} "*) ;;
        *) complain "$file includes $included: ${folder#compiler/} may include$(allowed "${folder#compiler/}")" ;;
        esac ;;
    esac
}

files=0 includes=0
for file in $(find compiler runtime -name '*.[ch]' -o -name '*.cpp' | sort); do
    files=$((files + 1))
    while read -r name; do
        includes=$((includes + 1))
        check "$file" "$(realpath -m --relative-to=. "$(dirname "$file")/$name")"
    done < <(sed -n 's/^#include "\(.*\)".*/\1/p' "$file")
    while read -r name; do
        case "$name $file" in
        lua*.h" compiler/render/"* | lauxlib.h" compiler/render/"* | cjson/cJSON.h" compiler/base/json.c") ;;
        lua*.h* | lauxlib.h* | *cJSON.h* | cuda*.h* | nvrtc*.h*) complain "$file includes <$name>" ;;
        utf8proc.h" compiler/text/"*) ;;
        utf8proc.h*) complain "$file includes <$name>" ;;
        esac
    done < <(sed -n 's/^#include <\(.*\)>.*/\1/p' "$file")
    case $file in
    *.cpp) [ "$(dirname "$file")" = runtime/simt ] || complain "$file is C++: only runtime/simt/ is" ;;
    esac
done
for folder in compiler/*/; do
    grep -q "^$(basename "$folder") *:" tests/deps.txt || complain "deps.txt does not know $folder"
done
[ $files -gt 100 ] && [ $includes -gt 200 ] || complain "only $files files with $includes includes were looked at"
[ $failed -ne 0 ] || echo "$files files, $includes includes"
exit $failed
