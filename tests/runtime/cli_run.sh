# cli_run.sh: tokens through the mailbox, launches, faults, and what is printed of them.
ids=63,25,33,69,71,12,83,54,55,14,90,82,63,23,5

# Text, ids and JSON of one run; it ends at id 5; like 83 that is a special token, which is no text.
want 0 '_9Aeg,VW.zr_7' 'STATS 3' ./tiny -p abc
want 0 "$ids" 'STATS 3' ./tiny -p abc --ids
./tiny -p abc --json >out.txt 2>err.txt
must "$json" text ids finish_reason usage timings hash <out.txt
says '"text":"_9Aeg,VW.zr_7","ids":\[63,25,.*23,5\],"finish_reason":"stop","stop_string":null,"usage":\{"prompt_tokens":3,"completion_tokens":15,"total_tokens":18\}' out.txt
says '"hash":"8c8227cd3e280a75"' out.txt
./tiny -p abc -n 4 2>err.txt >out.txt
says '^llmc: load [0-9.]+ s \(driver 0.00, weights [0-9.]+\) \| prompt 3 tok [0-9.]+ m?s \([0-9,.]+ tok/s\) \| first token [0-9.]+ m?s \| decode 4 tok [0-9.]+ ms/tok \([0-9,.]+ tok/s\) \| context 6 \| floor ~0.00025 ms, [0-9]+% \| hash [0-9a-f]{16}$' err.txt
"$make" "$stub" measured measured weights=73227
./measured -p abc -n 4 2>err.txt >out.txt
says ' \| floor 0\.00025 ms, ' err.txt
want 0 '_' 'STATS 3' ./tiny -p abc -n 1
want 0 '' 'STATS 3' ./tiny -p abc -n 0

./tiny -p abc -n 4 --json >out.txt 2>err.txt
says '"prompt_n":3,"prompt_ms":[0-9.]+,"prompt_per_token_ms":[0-9.]+,"prompt_per_second":[0-9.e+]+,"first_token_ms":[0-9.]+,"predicted_n":4,"predicted_ms":[0-9.]+,"predicted_per_token_ms":[0-9.]+,"predicted_per_second":[0-9.e+]+,"context":6,"floor_ms":0.00025216,"floor_rate_measured":false' out.txt # mean context 5: 50,432 bytes

# Stop strings: the text ends before them, in whichever token they end; -e holds for them.
want 0 '_9Ae' 'STATS 3' ./tiny -p abc --stop g,
want 0 '_9Aeg,VW' 'STATS 3' ./tiny -p abc -r '_7' -r '.' --reverse-prompt zz
want 0 '_9A' 'STATS 3' ./tiny -p abc -e --stop '\x65g'
want 0 '_9Aeg,VW.zr_7' 'STATS 3' ./tiny -p abc --stop '77'
want 0 '63,25,33,69,71' 'STATS 3' ./tiny -p abc --ids --stop 'eg'
want 0 '_9Ae' 'STATS 3' env LLMC_ARG_STOP=g, ./tiny -p abc
./tiny -p abc --stop 'eg' --json >out.txt 2>err.txt
must "$json" text <out.txt
says '"text":"_9A","ids":\[63,25,33,69,71\],"finish_reason":"stop","stop_string":"eg"' out.txt
want 0 '_9Aeg,sVW.zr_7%' 'STATS 3' ./tiny -p abc --special

# The same bits from a file and from the seed it was packed from, and for every launch length.
want 0 "$ids" '' ./tiny -p abc --ids -q --weights random:73227
for n in 1 2 5 63; do
    want 0 "$ids" '' ./tiny -p abc --ids -q --tokens-per-launch $n
done
want 0 '30,18,63' '' ./tiny -p abc --ids -q --weights random:8 -n 3

# Launches: at most 64 tokens, never across the schedule's last context, half a second at most.
FAKE_CUDA_LOG=log ./tiny --ids-in 1,2,3 --ignore-eos -n 300 --ids >long.txt 2>err.txt
says '^note: the context is full: 256 positions$' err.txt
must test "$(tr , '\n' <long.txt | wc -l)" = 254
want 0 'decode 4 x 64, 65536 shared, position 0, 3 tokens, 3 forced, 0 eos
decode 4 x 64, 65536 shared, position 3, 64 tokens, 1 forced, 0 eos
decode 4 x 64, 65536 shared, position 67, 29 tokens, 1 forced, 0 eos
decode 4 x 64, 1024 shared, position 96, 64 tokens, 1 forced, 0 eos
decode 4 x 64, 1024 shared, position 160, 64 tokens, 1 forced, 0 eos
decode 4 x 64, 1024 shared, position 224, 32 tokens, 1 forced, 0 eos' '' cat log
rm -f log
"$make" "$stub" slow slow weights=73227
want 0 "$ids" '' env FAKE_CUDA_LOG=log ./slow -p abc --ids -q
want 0 'decode 4 x 64, 65536 shared, position 0, 3 tokens, 3 forced, 1 eos
decode 4 x 64, 65536 shared, position 3, 10 tokens, 1 forced, 1 eos
decode 4 x 64, 65536 shared, position 13, 10 tokens, 1 forced, 1 eos' '' cat log
rm -f log
seq -s, 1 90 >ninety.txt
want 0 '' '' env FAKE_CUDA_LOG=log ./tiny --ids-in ninety.txt --ids -q -n 0
want 0 'decode 4 x 64, 65536 shared, position 0, 64 tokens, 64 forced, 1 eos
decode 4 x 64, 65536 shared, position 64, 26 tokens, 26 forced, 1 eos' '' cat log
error 6 0602 '90 tokens do not fit: the context holds 50, 0 are taken' "this program's context goes up to -c 256" -- \
    ./tiny --ids-in ninety.txt -c 50
yes 7 | head -300 >many.txt
error 6 0602 '300 tokens do not fit: the context holds 256, 0 are taken' 'recompile with --ctx 300' -- \
    ./tiny --ids-in many.txt

# Logits of every position: the same ids, and the rows that the hash is of.
want 0 "$ids" '' ./tiny -p abc --ids -q --logits rows.bin
must test "$(stat -c %s rows.bin)" = $((17 * 96 * 4))
./tiny -p abc --logits - -q >rows2.bin
must cmp rows.bin rows2.bin
want 0 '_9A' 'llmc: hash of all ids dacf6e876914e582, of all logits bae733db97b21976
STATS 3' ./tiny -p abc -n 3 --hash

# Faults: cause, layer, wave, worker and position; what was made before is printed.
error 8 0800 'a value is NaN or infinite: layer 1, wave "attend" (5 of 9), worker 3, position 0' \
    'check the weights: tiny --self-check' -- env FAKE_CUDA_FAULT=0:5:3:1 ./tiny -p abc
want 8 '_9Aeg' 'STATS 3
tiny: error: a K or V value is over 65504, the most that F16 holds: layer 0, wave "qkv" (1 of 9), worker 2, position 7 [E0801]
note: recompile with --kv-type bf16' env FAKE_CUDA_FAULT=4:1:2:2 ./tiny -p abc -n 10
error 8 0802 'a worker waited too long: wave "select" (8 of 9), worker 0, position 1' \
    'is another program using the GPU? If not, please report this' -- env FAKE_CUDA_FAULT=1:8:0:3 ./tiny -p abc
error 8 0802 'a worker waited too long: wave "embed" (0 of 9), worker 0, position 1' \
    'is another program using the GPU? If not, please report this' -- env FAKE_CUDA_FAULT=1:0:0:3 ./tiny -p abc
error 1 0100 'the kernel reports fault 9: wave "head" (7 of 9), worker 3, position 1' -- env FAKE_CUDA_FAULT=1:7:3:9 ./tiny -p abc

# A full disk, a closed pipe, Ctrl-C once and twice.
want 9 '' 'STATS 3
tiny: error: standard output: No space left on device [E0900]' bash -c './tiny -p abc >/dev/full'
want 9 '' 'tiny: error: standard output: No space left on device [E0900]' bash -c './tiny -p abc -q --json >/dev/full'
want 9 '_9A' 'STATS 3
tiny: error: /dev/full: No space left on device [E0900]' ./tiny -p abc -n 3 --logits /dev/full
error 9 0900 'no/such.bin: No such file or directory' -- ./tiny -p abc --logits no/such.bin
want 9 '_9A' 'STATS 3
tiny: error: big.bin: File too large [E0900]' bash -c 'ulimit -f 1; ./tiny -p abc -n 3 --logits big.bin'
must test ! -e big.bin
# What is read is not replaced.
printf abc >prompt.txt
cp tiny.llmw weights.before
for file in tiny.llmw ./tiny prompt.txt; do
    error 2 0200 "--logits $file: this file is read here, it is not replaced" -- ./tiny -f prompt.txt --logits "$file"
done
must cmp tiny.llmw weights.before
must test "$(cat prompt.txt)" = abc
# A closed stream stays closed: nothing that is opened takes its place.
want 9 '' 'STATS 3
tiny: error: standard output: Bad file descriptor [E0900]' bash -c './tiny -p abc -n 3 >&-'
want 9 '' 'tiny: error: standard output: Bad file descriptor [E0900]' bash -c './tiny --info >&-'
want 0 '_9A' '' bash -c './tiny -p abc -n 3 2>&-'
want 9 '' 'tiny: error: -: Bad file descriptor [E0901]' bash -c './tiny -f - <&-'
# Control characters of tokens reach no terminal, and JSON is UTF-8 whatever a path is.
mkdir $'p\xff'
cp tiny $'p\xff/tiny'
$'p\xff/tiny' --info --json >out.txt
must "$json" weights <out.txt
must iconv -f UTF-8 -t UTF-8 out.txt >same.txt
want 9 '' 'tiny: error: standard output: No space left on device [E0900]' bash -c './tiny --info >/dev/full'
want 0 '141' '' bash -c 'trap "" PIPE; FAKE_CUDA_TOKEN_MS=1 ./tiny -p abc -q --ignore-eos | head -c 3 >/dev/null; echo ${PIPESTATUS[0]}'
rm -f out.txt && touch out.txt
FAKE_CUDA_TOKEN_MS=10 env --default-signal=INT ./tiny -p abc --ignore-eos --ids >out.txt 2>err.txt &
pid=$!
for _ in $(seq 500); do [ "$(wc -c <out.txt)" -lt 12 ] || break; sleep 0.01; done
kill -INT $pid
wait $pid
must test $? = 130
says '^63,25,33,69,71' out.txt
says '^llmc: load .* \| hash ' err.txt
must test "$(tr , '\n' <out.txt | wc -l)" -lt 100
FAKE_CUDA_TOKEN_MS=10 env --default-signal=INT ./tiny -p abc --ignore-eos --json -v >out.txt 2>err.txt &
pid=$!
for _ in $(seq 500); do [ ! -s err.txt ] || break; sleep 0.01; done # the device is open
sleep 0.1
kill -INT $pid
wait $pid
must test $? = 130
must "$json" text ids usage <out.txt
says '"finish_reason":"interrupted"' out.txt
FAKE_CUDA_TOKEN_MS=2 ./tiny -p abc --ids >out.txt 2>err.txt & # a background job, which ignores SIGINT
pid=$!
sleep 0.02
kill -INT $pid
wait $pid
must test $? = 0
must test "$(cat out.txt)" = $ids
rm -f out.txt && touch out.txt
FAKE_CUDA_TOKEN_MS=20 FAKE_CUDA_DEAF=1 env --default-signal=INT ./tiny -p abc --ignore-eos --ids >out.txt 2>err.txt &
pid=$!
for _ in $(seq 500); do [ ! -s out.txt ] || break; sleep 0.01; done
for _ in $(seq 20); do kill -INT $pid 2>/dev/null; sleep 0.05; done # two that come together count as one
wait $pid
must test $? = 130
must test ! -s err.txt
