#!/bin/bash
# large.sh LLMC MAKE_MODEL: a program of more than 4 GiB: --bundle, --info, a run, and packed again. Needs 10 GB of disk and 6 GB
# of memory, and minutes; for run.sh --full.
. "$(dirname "$0")/common.sh"
disk=$(df --output=avail -B1 . | tail -1) memory=$(($(sed -n 's/^MemAvailable: *\([0-9]*\).*/\1/p' /proc/meminfo) * 1024))
if [ "$disk" -lt 10000000000 ] || [ "$memory" -lt 6000000000 ]; then
    echo "skipped: a program of more than 4 GiB: $disk bytes of disk, $memory of memory are free"
    exit 77
fi
sed 's/"vocab_size": 512/"vocab_size": 131072/; s/"hidden_size": 128/"hidden_size": 8192/
     s/"num_hidden_layers": 2/"num_hidden_layers": 6/; s/"max_position_embeddings": [0-9]*/"max_position_embeddings": 64/' tiny.json >large.json
"$llmc" check large.json || exit 1
"$llmc" compile large.json --target cpu --bundle --weights random:3 -o large -q || fail "compile"
must [ "$(stat -c %s large)" -gt $((1 << 32)) ]
must [ ! -e large.llmw ]
./large --info >out.txt || fail "--info"
grep '^weights' out.txt
ids=$(./large --ids-in 1 -n 2 --ids -q)
must [ "$ids" = "$(./large --weights random:3 --ids-in 1 -n 2 --ids -q)" ]
"$llmc" pack large.json --weights random:4 --into large -q || fail "pack"
must [ "$(stat -c %s large)" -gt $((1 << 32)) ]
must [ "$(./large --ids-in 1 -n 2 --ids -q)" != "$ids" ]
exit $failed
