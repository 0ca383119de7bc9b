# common.sh: sourced by the scripts here: a work folder, and both styles compiled for this machine's cores with and without -ftrace.
set -u
llmc=$1 root=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C
failed=0

complain() {
    echo "failed: $*"
    failed=1
}

# compile STYLE PROGRAM [OPTIONS]: barrier: tiny.json on four workers; packets: its like for four multiprocessors of a Hopper.
compile() {
    local style=$1 program=$2
    shift 2
    if [ "$style" = packets ]; then
        "$llmc" compile "$root/tests/packets/model.json" --target "$root/tests/packets/target.json" --sync packets --arch cpu --ctx 600 \
            -o "$program" -q "$@" || exit 1
    else
        "$llmc" compile "$root/models/tiny.json" --target cpu --ctx 600 -o "$program" -q "$@" || exit 1
    fi
}
