# common.sh: sourced by the scripts here: a work folder, and the model they compile.
set -u
llmc=$1
build=$2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
tiny=$root/models/tiny.json
fail() { echo "failed: $*"; exit 1; }
