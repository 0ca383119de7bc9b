#!/bin/bash
# run.sh [--full] [NAMES]: builds into build/ and runs all tests there, or those whose names match the expression NAMES: one
# line a case, below it what a failed one says. Needs no GPU. Installs packages that are missing and, the first time, downloads
# a model (93 MB), chat templates, tokenizers and their libraries (110 MB) into $LLMC_CACHE or ~/.cache/llmc. The last line is "N passed, N failed".
# --full adds the long ones: the same tests with ASan and UBSan, a build with clang where warnings are errors, every golden
# model, many more damaged plans, random shapes; some twenty minutes.
# CMAKE_ARGS in the environment goes to cmake.
set -u
cd "$(dirname "$0")/.." || exit 1
full='' names=.
for word in "$@"; do
    case $word in
    --full) full=1 ;;
    -h | --help) sed -n '2,/^set /s/^# //p' "$0"; exit 0 ;;
    -*) echo "run.sh: unknown option $word" >&2; exit 2 ;;
    *) names=$word ;;
    esac
done
jobs=$(nproc 2>/dev/null || echo 2)
passed=0 failed=0 skipped=0
export LC_ALL=C CTEST_OUTPUT_ON_FAILURE=1
unset SIMT_SEED LLMC_ARG_QUIET LLMC_ARG_WERROR

. tests/packages.sh
packages_need_build
packages_need diffutils 'command -v diff'
packages_need python3-pip 'python3 -m pip --version' # to download the model
packages_install || exit 4

# line STATE NAME [TIME]
line() {
    printf '%-8s%s%s\n' "$1" "$2" "${3:+ ($3)}"
}

# build FOLDER OPTIONS..: quiet while all is well.
build() {
    local folder=$1
    shift
    mkdir -p "$folder"
    # shellcheck disable=SC2086
    cmake -S . -B "$folder" ${CMAKE_ARGS:-} "$@" >"$folder/build.log" 2>&1 &&
        cmake --build "$folder" -j"$jobs" >>"$folder/build.log" 2>&1 && return
    grep -E 'error:|Error [0-9]|undefined reference|CMake Error' "$folder/build.log" | head -40
    echo "all of it is in $folder/build.log"
    return 1
}

# What each skipped case of the last ctest run in FOLDER said: "NAME reason".
reasons() {
    awk '/^[0-9]+\/[0-9]+ Testing: / { name = $3; said = 0 }
         /^(SKIP|skipped)/ && !said { sub(/^(SKIP|skipped):? */, ""); print name, $0; said = 1 }' "$1/Testing/Temporary/LastTest.log"
}

# tests PREFIX FOLDER CTEST-OPTIONS..: a line for each case as it ends.
tests() {
    local prefix=$1 folder=$2 text name state ok=0 bad=0 left=0 done=''
    local -A ended=()
    local case='^ *[0-9]+/[0-9]+ Test +#[0-9]+: ([^ ]+).* ([0-9.]+) sec'
    shift 2
    while IFS= read -r text; do
        if [[ $text =~ $case ]]; then
            name=$prefix${BASH_REMATCH[1]}
            case $text in
            *'   Passed '*) state=ok ok=$((ok + 1)) ;;
            *'***Skipped'*) state=skipped left=$((left + 1)) ;;
            *) state=FAILED bad=$((bad + 1)) && echo "$name" >>build/failed ;;
            esac
            ended[$name]=$state
            [ $state = skipped ] || line $state "$name" "${BASH_REMATCH[2]} s"
        elif [[ $text =~ 'tests passed, '[0-9]+' test' ]]; then
            done=1
        elif [[ -n $text && -z $done && ! $text =~ ^(\ *Start\ +[0-9]+:\ |Test\ project|Internal\ ctest|Connected\ to) ]]; then
            echo "    $text"
        fi
    done < <(ctest --test-dir "$folder" -j "$jobs" --no-tests=error "$@" 2>&1)
    while read -r name reason; do
        line skipped "$prefix$name: $reason"
        # A case that says so and ends with 0 was counted as passed.
        [ "${ended[$prefix$name]:-}" != ok ] || { ok=$((ok - 1)) left=$((left + 1)); }
    done < <(reasons "$folder")
    passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + left))
    [ $((ok + bad + left)) -gt 0 ] && return
    line FAILED "${prefix}no test was run"
    echo "${prefix}no test was run" >>build/failed
    failed=$((failed + 1))
}

# one NAME COMMAND..: a case that is no ctest.
one() {
    local name=$1 start=$SECONDS code
    shift
    "$@" >build/one.log 2>&1
    code=$?
    if [ $code = 0 ]; then
        line ok "$name" "$((SECONDS - start)) s"
        passed=$((passed + 1))
    elif [ $code = 77 ]; then
        line skipped "$name: $(tail -1 build/one.log | sed 's/^skipped: *//')"
        skipped=$((skipped + 1))
    else
        line FAILED "$name" "$((SECONDS - start)) s"
        echo "$name" >>build/failed
        sed 's/^/    /' build/one.log | tail -60
        failed=$((failed + 1))
    fi
}

build build || { echo "run.sh: llmc does not build" >&2; echo "0 passed, 1 failed"; exit 1; }
: >build/failed
tests '' build -R "$names"

if [ -n "$full" ]; then
    if build build/sanitized -DLLMC_SANITIZE=ON; then
        # What builds programs of its own, or measures files and time, has been run above.
        tests 'sanitized ' build/sanitized -E '^(simt|faults|e2e|golden|outputs|cards|style|bench|build_with)_'
        of=$PWD/build/sanitized/tests
        one 'sanitized server, 10,000 requests' tests/serve/run.sh python3 hostile "$of/runtime/test_runtime_stub" \
            "$of/runtime/test_runtime_make" "$of/runtime/driver" 10000
        one 'sanitized JSON reader, 1,000,000 damaged texts' "$of/serve/test_serve_json" 1000000
    else
        line FAILED 'sanitized build'
        echo 'sanitized build' >>build/failed
        failed=$((failed + 1))
    fi
    one 'SmolLM2 behind its server, through the openai client' tests/serve/smollm.sh "$PWD/build/llmc"
    if command -v clang >/dev/null; then
        one 'clang builds without a warning' build build/clang -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DLLMC_WERROR=ON
    else
        line skipped 'clang builds without a warning: no clang'
        skipped=$((skipped + 1))
    fi
    one 'plan files of any bytes, 6,000 of them' tests/plan/fuzz.sh "$PWD/build/tests/plan/test_plan_fuzz" "$PWD/build/llmc" "$PWD/models" 3000
    one 'damaged plans, 20 of each kind' tests/plan/damage.sh "$PWD/build/llmc" "$PWD/build/tests/plan/plan_damage" "$PWD/models" 20
    one 'a program of more than 4 GiB' tests/cli/large.sh "$PWD/build/llmc" "$PWD/build/tests/model/make_model"
    one 'changed chat templates and bytecode, ten minutes of them' tests/chat/fuzz.sh "$PWD/build/tests/chat/chat_fuzz" 600 "$RANDOM" "$PWD/compiler/chat/builtin" "$PWD/tests/chat/own"
    one 'random shapes, 100 of them' tests/e2e/sweep.sh "$PWD/build/llmc" "$PWD/tests/e2e" 100
    one 'five models on a card of each architecture' tests/cards/full.sh "$PWD/build/llmc"
    one 'ids of real tokenizers, 10,000 strings each' tests/text/real.sh "$PWD/build/tests/text/text_ids" 10000
    [ ! -x tests/golden/full.sh ] || one 'golden models, all of them' tests/golden/full.sh "$PWD/build"
fi

[ $failed = 0 ] || sed 's/^/failed: /' build/failed
[ $skipped = 0 ] || echo "$skipped skipped"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
