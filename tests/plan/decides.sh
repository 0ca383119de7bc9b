#!/bin/bash
# decides.sh LLMC MODELS: the plan decides. Rows that move between workers in plan.json move in decode.cu and in the plan that
# comes out, and the ids stay: rows of qkv; rows of the feed-forward together with down's columns; a head of attention; a
# worker that is left without rows.
llmc=$1 models=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LLMC_ARG_NO_WARN=,balance, LLMC_ARG_QUIET=1
failed=0

complain() {
    echo "failed: $*"
    failed=1
}

# run PROGRAM: ids, then --verify at contexts of both schedules.
run() {
    ./"$1" --weights random:1 --ids-in 1,5,9 -n 12 --ids --ignore-eos 2>&1 || complain "$1 does not run"
    ./"$1" --weights random:1 --verify 2 --ctx 3,390 >"$1.verify" 2>&1 || { complain "$1 --verify"; cat "$1.verify"; }
}

# edit NAME SED-SCRIPT LINE...: the plan after the script, compiled; decode.cu must have each of the lines, and differ.
edit() {
    local name=$1 script=$2
    shift 2
    sed -E "$script" whole.d/plan.json >"$name.json"
    cmp -s whole.d/plan.json "$name.json" && complain "$name changes nothing"
    "$llmc" compile --plan "$name.json" -o "$name" || { complain "$name does not compile"; return; }
    cmp -s "$name.json" "$name.d/plan.json" || complain "$name: the plan that comes out is not the one that went in"
    cmp -s whole.d/decode.cu "$name.d/decode.cu" && complain "$name: decode.cu did not change"
    for line in "$@"; do
        grep -qF -- "$line" "$name.d/decode.cu" || complain "$name: decode.cu has no \"$line\""
    done
    run "$name" >"$name.ids"
    diff whole.ids "$name.ids" || complain "$name: other ids"
}

"$llmc" compile "$models/tiny.json" --target cpu -o whole || exit 1
run whole >whole.ids

edit qkv '/"op": "qkv", "worker": 1/ s/"rows": 64/"rows": 63/
          /"op": "qkv", "worker": 2/ s/"row": 128, "rows": 64/"row": 127, "rows": 65/' \
    'qkv_rows[4][2]' '{ 64, 127 },' '{ 127, 192 },' '4 tasks of 63 to 65 rows'

edit ffn '/"op": "ffn", "worker": 0/ s/"rows": 80/"rows": 79/
          /"op": "ffn", "worker": 1/ s/"row": 80, "rows": 80/"row": 79, "rows": 81/
          /down_proj/ { s/\[0, 80, 160/[0, 79, 160/; s/"slice_cols": 80/"slice_cols": 88/; s/"stride": 20480/"stride": 22528/; s/"bytes": 81920/"bytes": 90112/; }
          s/"layer_stride": 344064/"layer_stride": 352256/
          /embed_tokens/ s/688128/704512/
          /lm_head/ s/819200/835584/
          /"tensor": "model.layers.0.input_layernorm/ s/950272/966656/
          /"tensor": "model.layers.0.post_att/ s/951296/967680/
          /"tensor": "model.norm/ s/952320/968704/
          s/"weight_bytes": 952832/"weight_bytes": 969216/
          /"name": "ffn.h"/ s/"bytes": 320/"bytes": 352/
          /"op": "ffn", "smem_bytes"/ s/848/880/' \
    'ffn_rows[4][2]' '{ 0, 79 },' '{ 79, 160 },'

edit attend '/"op": "attend", "worker": 0.*"parts": 1/ s/"worker": 0/"worker": 3/
             /"op": "attend", "worker": 1.*"parts": 2/ s/"worker": 1/"worker": 0/' \
    'attend_1_begin[5] = { 0, 0, 1, 1, 2 };' 'attend_2_begin[5] = { 0, 2, 2, 3, 4 };'

# Worker 3 has no row of wo, of the feed-forward or of the head; y lies where a fourth partial sum would.
edit idle '/"op": "(wo|head)", "worker": 3/ d
           /"op": "ffn", "worker": 3/ d
           /"op": "ffn"/ s/"parts": 4/"parts": 3/
           /"op": "wo", "worker": 2/ s/"rows": 32/"rows": 64/
           /"op": "head", "worker": 2/ s/"rows": 128/"rows": 256/
           /"op": "ffn", "worker": 2/ s/"rows": 80/"rows": 160/
           /down_proj/ { s/160, 240, 320\]/160, 320]/; s/"slice_cols": 80/"slice_cols": 160/; s/"stride": 20480/"stride": 40960/; s/"bytes": 81920/"bytes": 122880/; }
           s/"layer_stride": 344064/"layer_stride": 385024/
           /embed_tokens/ s/688128/770048/
           /lm_head/ s/819200/901120/
           /"tensor": "model.layers.0.input_layernorm/ s/950272/1032192/
           /"tensor": "model.layers.0.post_att/ s/951296/1033216/
           /"tensor": "model.norm/ s/952320/1034240/
           s/"weight_bytes": 952832/"weight_bytes": 1034752/
           /"name": "partial"/ s/"bytes": 2048/"bytes": 1536/
           /"name": "y", "space"/ s/"at": 3328/"at": 5376/
           /"name": "ffn.h"/ s/"bytes": 320/"bytes": 640/
           /"op": "ffn", "smem_bytes"/ s/848/1168/' \
    'wo_1_rows[4][2]' 'head_rows[4][2]' 'ffn_rows[4][2]' '{ 160, 320 },' '{ 0, 0 },'

# One layer below a head of many rows: a worker's share of the layer would fit in a ring, so barriers are planned.
sed -E 's/"num_hidden_layers": [0-9]+/"num_hidden_layers": 1/; s/"hidden_size": [0-9]+/"hidden_size": 512/; s/"intermediate_size": [0-9]+/"intermediate_size": 512/' \
    "$models/llama-3.2-1b.json" >low.json
"$llmc" plan low.json --target h200 >said 2>&1 && grep -q ' barrier, plain, ' said || { complain "one layer is not planned with barriers"; cat said; }
"$llmc" plan low.json --target h200 --sync packets >said 2>&1
[ $? = 3 ] && grep -q 'too few layers: .* \[E0451\]' said || { complain "packets for one layer"; cat said; }
"$llmc" plan low.json --target h200 --sync packets --workers 16 >said 2>&1 && grep -q ' packets, bulk, ' said || { complain "few workers share one layer"; cat said; }
exit $failed
