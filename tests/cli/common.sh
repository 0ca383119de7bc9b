# common.sh: sourced by the scripts here: a work folder, and a check of what llmc says, word for word.
set -u
llmc=$1
make=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
models=$here/../../models
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cp "$models/tiny.json" .
export LC_ALL=C
unset NO_COLOR LLMC_ARG_COLOR LLMC_ARG_QUIET LLMC_ARG_WERROR LLMC_ARG_NO_WARN LLMC_ARG_MAX_ERRORS LLMC_ARG_DIAGNOSTICS_FORMAT CXX
failed=0

fail() { echo "failed: $*"; failed=1; }

# says CODE TEXT COMMAND...: the exit code, the whole of stderr; nothing on stdout. "llmc" is the program under test.
says() {
    local code=$1 text=$2 got
    shift 2
    [ "$1" = llmc ] && set -- "$llmc" "${@:2}"
    "$@" >out.txt 2>err.txt </dev/null
    got=$?
    sed -i "s|$work/||g" err.txt
    if [ "$got" != "$code" ] || [ "$(cat err.txt)" != "$text" ] || [ -s out.txt ]; then
        fail "$*"
        echo "exit code $got, wanted $code"
        diff <(echo "$text") err.txt
        head -3 out.txt
    fi
    rm -f out.txt err.txt
}

# nothing_new COMMAND...: the folder holds the same files before and behind.
nothing_new() {
    local before
    before=$(find . | sort)
    "$@"
    [ "$before" = "$(find . | sort)" ] || { fail "left something: $*"; diff <(echo "$before") <(find . | sort); }
}

must() { "$@" || fail "$*"; }

# A device of the work folder where one can be made; root would lose the machine's own to a faulty llmc.
null=/dev/null
[ -w /dev ] && { mknod null c 1 3 && null=null || { null=; echo "skipped: writing to a device (root cannot make one here)"; }; }
