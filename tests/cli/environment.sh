#!/bin/bash
# What surrounds llmc: variables, folders that are not there, signals, limits, streams that never end.
. "$(dirname "$0")/common.sh"
compile() { nothing_new says "$1" "$2" "${@:3}" "$llmc" compile tiny.json --target cpu -o x -q; }
compile 9 'none: error: cannot make a temporary folder in it: No such file or directory [E0900]
note: $TMPDIR names another place' env TMPDIR=none
compile 9 'tiny.json: error: cannot make a temporary folder in it: Not a directory [E0900]
note: $TMPDIR names another place' env TMPDIR=tiny.json
compile 4 'llmc: error: no C++ compiler: neither g++ nor clang++ is in PATH, and CXX names none; Debian and Ubuntu: apt install g++ [E1000]' \
    env PATH=/none
compile 4 'llmc: error: CXX names none: there is no such program [E1000]' env CXX=none
compile 4 'llmc: error: /bin/false does not say its version [E1001]' env CXX=/bin/false
compile 4 'llmc: error: sleep does not say its version [E1001]' env 'CXX=sleep 100'
mkdir 'a "b" $c'
must env -i PATH="$PATH" TMPDIR="$work/a \"b\" \$c" "$llmc" compile tiny.json --target cpu -o x -q
must [ -z "$(ls 'a "b" $c')" ]
must env -u HOME LC_ALL=de_DE.UTF-8 LANGUAGE=de "$llmc" compile tiny.json --target cpu -o y -q
must cmp x y

# Inputs that never end or are too large to be a text are refused before memory is.
says 9 '/dev/zero: error: gives more than 268,435,456 bytes: a text was expected [E0901]' llmc check /dev/zero
truncate -s 300G large.json
says 3 'large.json: error: has 322,122,547,200 bytes: a text of at most 268,435,456 was expected [E0301]' llmc check large.json
rm large.json

# Nor is a pipe in a model's folder waited for, nor a link passed over that leads nowhere.
folder() { rm -rf hf && mkdir hf && "$make" "$here/../errors/safetensors/good.make" . || fail "make hf"; }
for name in config.json generation_config.json special_tokens_map.json model.safetensors model.safetensors.index.json tokenizer.json tokenizer_config.json; do
    folder
    rm -f hf/$name
    mkfifo hf/$name
    says 3 "hf/$name: error: is a pipe or a device, a file was expected [E0301]" timeout 20 "$llmc" check hf
    rm hf/$name
    ln -s gone hf/$name
    says 3 "hf/$name: error: is a symbolic link that leads nowhere: No such file or directory [E0301]" llmc check hf
done
folder
mkdir pipes && mkfifo pipes/decode.cu
says 3 'pipes/decode.cu: error: is a pipe or a device, a file was expected [E0301]' \
    timeout 20 "$llmc" compile tiny.json --target cpu --templates pipes

# A folder of templates, weights without a seed, a model that no kernel can do.
mkdir templates
says 3 'templates: error: is no folder of templates: decode.cu, where they begin, is not in it [E0300]' \
    llmc compile tiny.json --target cpu --templates templates
says 2 'llmc: error: weights "random": a seed was expected, as in random:1 [E0202]' llmc check tiny.json --weights random
sed 's/"head_dim": 32/"head_dim": 258/' tiny.json >wide.json
says 3 'wide.json: error: no kernel of this version can do attend on cpu: kernel split_attend: it ends its wave in packets, barriers are planned; kernel attend: head_dim is 258, it takes even ones up to 256 [E0451]' \
    llmc compile wide.json --target cpu
sed 's/"vocab_size": 512/"vocab_size": 1/' tiny.json >one.json
"$llmc" check one.json 2>err.txt
must [ $? = 3 ]
must grep -q 'error: vocab_size is 1: must be a whole number from 2 to 4,194,304 \[E0303\]' err.txt

# A reader that leaves ends llmc in silence, also where a parent ignores SIGPIPE.
(trap '' PIPE; "$llmc" plan "$models/llama-3.2-1b.json" --target h100 --json 2>err.txt | head -c 3 >start.txt; exit ${PIPESTATUS[0]})
must [ $? = 141 ]
must [ ! -s err.txt ]

# A parent that ignores SIGHUP (nohup) means it.
mkfifo go
(trap '' HUP; exec "$llmc" check go >out.txt 2>err.txt) &
pid=$!
exec 3>go
kill -HUP $pid
cat tiny.json >&3
exec 3>&-
wait $pid
must [ $? = 0 ]
must grep -q '^layers        2$' out.txt
# A file that another process cuts off while it is read is an error of reading, not a crash.
sed 's/2048/300/' tiny.json >short.json
"$llmc" compile short.json --target cpu --weights random:1 -q || fail "compile short"
./short --verify 290 -v >out.txt 2>err.txt &
pid=$!
until [ -s err.txt ]; do sleep 0.01; done
truncate -s 4096 short.llmw
wait $pid
must [ $? = 9 ]
must [ "$(tail -1 err.txt)" = 'error: a mapped file (the weights?) was cut off while it was read [E0901]' ]
exit $failed
