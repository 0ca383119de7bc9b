#!/bin/bash
# pack and verify: model and program belong together, or the first fact that differs is named.
. "$(dirname "$0")/common.sh"
mkdir A B hf
cp "$here"/../errors/parts/hf.* "$here"/../errors/parts/tiny.* .
"$make" hf.single . || exit 1
mv hf/* A/
cp A/* B/
"$llmc" compile A --target cpu -o a -q || exit 1
cp a.llmw a.before

# A model of other facts.
sed -i 's/"num_hidden_layers": 2/"num_hidden_layers": 3/' B/config.json
says 7 "B: error: a was made for another model: its layers is 2, this one's is 3 [E0710]" llmc pack B --into a
says 7 "B: error: a.d/plan.json was made for another model: its layers is 2, this one's is 3 [E0710]" llmc verify a.d/plan.json --model B
says 7 "B: error: a.d/plan.json was made for another model: its layers is 2, this one's is 3 [E0710]" llmc compile B --plan a.d/plan.json
cp A/config.json B/
sed -i 's/"max_position_embeddings": 128/"max_position_embeddings": 127/' B/config.json
says 7 "B: error: a has a context of 128, this model ends at 127 positions [E0710]" llmc pack B --into a
sed -i 's/"max_position_embeddings": 127/"max_position_embeddings": 128/; s/1e-05/1e-06/' B/config.json
says 7 "B: error: a was made for another model: its norm_eps is 1e-05, this one's is 1e-06 [E0710]" llmc pack B --into a
sed -i 's/1e-06/1e-05/; s/"bfloat16"/"float16"/' B/config.json
says 7 "B: error: a was made for another model: its format is BF16, this one's is F16 [E0710]" llmc pack B --into a
sed -i 's/"float16"/"bfloat16"/; s/"rope_theta": 10000.0/"rope_theta": 5e5/' B/config.json
says 7 "B: error: a was made for another model: its rope turns pair 1 by 0.1 a position, this one's by 0.0376060309 [E0710]" llmc pack B --into a
must cmp a.llmw a.before
"$llmc" verify a --model B >out.txt 2>err.txt
must [ $? = 7 ]
must grep -q "B: error: a was made for another model: its rope turns pair 1 by 0.1 a position, this one's by 0.0376060309 \[E0710\]" err.txt
must [ "$("$llmc" verify a.d/plan.json --model A)" = "plan: 15 rules hold
model: every fact of A is the plan's" ]
must [ "$("$llmc" verify - --model A <a.d/plan.json)" = "plan: 15 rules hold
model: every fact of A is the plan's" ]

# What decides neither code nor results is taken from the model that is packed: the ids that end a text; a GGUF of the
# same model, whose numbers went through float32.
cp A/config.json B/
sed -i 's/"eos_token_id": 2/"eos_token_id": [2, 3]/; s/1e-05/9.99999974e-06/; s/128,/256,/' B/config.json
says 0 'note: packed B into a and a.llmw' llmc pack B --into a
must grep -q '^eos  *2 3$' <(./a --info)
must cmp -i 4096 a.llmw a.before
printf 'gguf t.gguf\ninclude tiny.keys\nmodel BF16\n' >script
"$make" script . || exit 1
says 0 'note: t.gguf: the GGUF file has no tokenizer: ids work (--ids-in), -p will exit 3
note: packed t.gguf into a and a.llmw' llmc pack t.gguf --into a

# A number that is not finite: the last of the file.
cp A/* B/
cp a.llmw packed
end=$(($(stat -c %s B/model.safetensors) - 2))
printf '\200\377' | dd of=B/model.safetensors bs=1 seek=$end conv=notrunc status=none
says 3 "B/model.safetensors@0xa378: error: lm_head.weight: row 39, column 31 is -inf [E0334]" llmc pack B --into a
printf '\301\177' | dd of=B/model.safetensors bs=1 seek=$end conv=notrunc status=none
says 3 "B/model.safetensors@0xa378: error: lm_head.weight: row 39, column 31 is nan [E0334]" llmc pack B --into a
must cmp a.llmw packed

# Of several the first in the order of packing, and the same bytes, however many threads there are.
first=$((8 + $(od -An -td8 -N8 B/model.safetensors)))
printf '\200\377' | dd of=B/model.safetensors bs=1 seek=$first conv=notrunc status=none
one=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
"$llmc" pack A --into a -q || fail "pack A"
cp a.llmw packed
for on in "taskset -c $one" env "taskset -c $one" env; do
    says 3 "B/model.safetensors@0x838: error: model.embed_tokens.weight: row 0, column 0 is -inf [E0334]" $on "$llmc" pack B --into a
    says 0 'note: packed A into a and a.llmw' $on "$llmc" pack A --into a
    must cmp a.llmw packed
done
cp A/* B/

# Packing again: other weights, and a tokenizer that comes and goes.
says 0 'note: packed A into a and a.llmw' llmc pack A --into a
says 0 'note: packed random:5 into a and a.llmw' llmc pack A --weights random:5 --into a
must [ "$(./a --ids-in 1 -n 4 --ids -q)" = "$(./a --weights random:5 --ids-in 1 -n 4 --ids -q)" ]
cat >B/tokenizer.json <<'T'
{"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "c": 2}, "merges": []}, "added_tokens": [],
 "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
 "decoder": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true}}
T
cp A/config.json B/
says 0 'note: packed B into a and a.llmw' llmc pack B --into a
must [ "$(./a -p abc -n 0 -q 2>&1)" = "" ]
says 0 'note: packed A into a and a.llmw
a: warning: the tokenizer it had is gone (the folder has no tokenizer.json): -p exits 3, --ids-in works [-Wtokenizer-lost]' llmc pack A --into a
"$llmc" compile A --target cpu -o a 2>err.txt
must grep -q '^note: run: ./a --ids-in 1,2,3 -n 8    (ids alone: the folder has no tokenizer.json)$' err.txt
"$llmc" compile B --target cpu -o a 2>err.txt
must grep -q '^note: run: ./a -p "The capital of France is"$' err.txt

# Not a program, and programs that are no longer whole.
says 3 'tiny.json: error: not a program made by llmc: there is no package at its end [E0460]' llmc pack A --into tiny.json
says 3 'a.llmw: error: not a program made by llmc: there is no package at its end [E0460]' llmc verify a.llmw
says 3 'A: error: is a folder, a file was expected [E0300]' llmc verify A
mkfifo pipe
says 3 'pipe: error: is a pipe or a device, a file was expected [E0301]' timeout 20 "$llmc" verify pipe
says 3 'tiny.json: error: there are no weights beside this config [E0335]' llmc pack tiny.json --into a
cp a short
truncate -s -1 short
says 3 'short: error: not a program made by llmc: there is no package at its end [E0460]' llmc pack A --into short
cat a a >twice
says 3 'twice: error: not a program made by llmc: the package is damaged [E0460]' llmc verify twice

# verify takes the program as it is: a context of two, weights that are missing, a reader that leaves.
sed 's/2048/2/' tiny.json >two.json
"$llmc" compile two.json --target cpu --weights random:1 -q || fail "compile two"
"$llmc" verify two >out.txt || fail "verify of a context of two"
must grep -q '^passed: 2 positions' out.txt
rm two.llmw
must [ "$("$llmc" verify two 2>&1 >out.txt)" = 'note: two.llmw is not there: results were not compared' ]
"$llmc" verify a 2>err.txt | head -1 >out.txt
must test ! -s err.txt

# Tables that are not what the plan gives, with sums that hold: one row more for a task.
cat >edit.c <<'C'
#include "../../runtime/package.h"
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    FILE *f = fopen(argv[argc - 1], "r+b");
    PkgFooter foot;
    PkgHeader head;
    if (!f || fseek(f, -(long)sizeof foot, SEEK_END) || fread(&foot, sizeof foot, 1, f) != 1)
        return 1;
    const long bytes = ftell(f) - (long)sizeof foot - (long)foot.header_at;
    char *table = malloc((size_t)bytes);
    if (fseek(f, (long)foot.header_at, SEEK_SET) || fread(table, (size_t)bytes, 1, f) != 1)
        return 1;
    __builtin_memcpy(&head, table, sizeof head);
    for (uint32_t i = 0; i < head.sections; ++i) {
        PkgSection *s = (PkgSection *)(table + sizeof head) + i;
        if (s->kind != PKG_TASKS)
            continue;
        PkgTask *tasks = malloc(s->bytes);
        if (fseek(f, (long)s->at, SEEK_SET) || fread(tasks, s->bytes, 1, f) != 1)
            return 1;
        ++tasks[3].rows;
        s->digest = package_sum(tasks, s->bytes);
        fseek(f, (long)s->at, SEEK_SET);
        fwrite(tasks, s->bytes, 1, f);
        free(tasks);
    }
    foot.digest = package_digest(table, (uint64_t)bytes);
    fseek(f, (long)foot.header_at, SEEK_SET);
    fwrite(table, (size_t)bytes, 1, f);
    fwrite(&foot, sizeof foot, 1, f);
    free(table);
    return fclose(f);
}
C
if ${CC:-cc} -o edit edit.c -I "$here" 2>err.txt; then
    cp a edited
    ./edit edited || fail "edit"
    must ./edited --info >out.txt
    "$llmc" verify edited >out.txt 2>err.txt
    must [ $? = 7 ]
    must [ "$(cat err.txt)" = 'edited: error: its table "tasks" is not what its plan gives [E0720]' ]
else
    echo "skipped: a changed table (no C compiler as \$CC or cc)"
fi

# A model's name is a file's name that the plan takes back.
cp tiny.json './*x*.json'
"$llmc" compile './*x*.json' --target cpu -q || fail "name of a model"
"$llmc" verify x- >out.txt 2>&1 || fail "verify x-: $(cat out.txt)"
cp tiny.json $'\xe4\xb8\x96.json'
must grep -q '^name          model$' <("$llmc" check $'\xe4\xb8\x96.json')
cp tiny.json "$(printf 'N%.0s' $(seq 200)).json"
must grep -q "^name          $(printf 'n%.0s' $(seq 63))\$" <("$llmc" check N*.json)

# A config from a pipe.
"$llmc" check tiny.json >want.txt
"$llmc" check <(cat tiny.json) 2>&1 | grep -v '^name' | diff - <(grep -v '^name' want.txt) || fail "a config from a pipe"

# Matrices of several pieces: what is packed of a seed is what the program makes of it itself, in rows, lanes and fragments.
cat >big.json <<'J'
{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 512, "num_attention_heads": 8, "num_key_value_heads": 2,
 "head_dim": 64, "intermediate_size": 1536, "num_hidden_layers": 1, "vocab_size": 3000, "max_position_embeddings": 64, "rms_norm_eps": 1e-5,
 "rope_theta": 10000.0, "hidden_act": "silu", "tie_word_embeddings": true, "torch_dtype": "bfloat16", "eos_token_id": 2, "bos_token_id": 1}
J
for target in "--target cpu" "--target h200 --arch cpu"; do
    # shellcheck disable=SC2086
    "$llmc" compile big.json $target -o big -q -f || fail "compile big.json $target"
    "$llmc" pack big.json --weights random:3 --into big -q || fail "pack big.json $target"
    must [ "$(stat -c %s big.llmw)" -gt 8000000 ]
    must [ "$(./big --ids-in 1,2 -n 1 --ids --hash -q 2>&1)" = "$(./big --weights random:3 --ids-in 1,2 -n 1 --ids --hash -q 2>&1)" ]
done

exit $failed
