#!/bin/sh
# rows.sh ROWS MAKE PARTS: every kind of checkpoint gives the same tensors (rows.c). PARTS: the scripts of tests/errors/parts.
rows=$1 make=$2 parts=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

# check WHAT FORMAT MODEL [WEIGHTS]: the script comes from stdin.
check() {
    rm -rf "$work/case"
    mkdir -p "$work/case/hf"
    cp "$parts"/* "$work"
    cat >"$work/script"
    "$make" "$work/script" "$work/case" || { failed=1; return; }
    (cd "$work/case" && "$rows" "$3" "$2" ${4:+"$4"}) || { echo "failed: $1"; failed=1; }
}

for type in F32 F16 BF16; do
    check "one $type file" $type hf <<END
include hf.config
safetensors hf/model.safetensors
model $type
END
done
check "two shards" BF16 hf <<END
include hf.shards
END
check "an index by path" BF16 hf/config.json hf/model.safetensors.index.json <<END
include hf.shards
END
for type in F32 F16 BF16 Q8_0; do
    check "a $type GGUF" $type tiny.gguf <<END
gguf tiny.gguf
include tiny.keys
model $type
END
done
check "a GGUF as weights of a config" F16 hf/config.json tiny.gguf <<END
include hf.config
gguf tiny.gguf
include tiny.gguf
END
exit $failed
