# cli_check.sh: --verify, --bench, --self-check, --info: what they print and what they refuse.
want 0 'tiny on NVIDIA Fake 86, context 1; K/V F16; weights of both: tiny.llmw, unpacked; bound 1e-03
position  rel. L2    max        bits    result  id
       0  0.00e+00   0.00e+00   equal   ok      76 = 76
       1  0.00e+00   0.00e+00   equal   ok      44 = 44
passed: 2 positions, worst relative error 0.00e+00 at position 0, all bits equal' '' ./tiny --verify 2
want 0 'tiny on NVIDIA Fake 86, context 1; K/V F16; weights of both: the hash of seed 73227; bound 1e-03
position  rel. L2    max        bits    result  id
       0  0.00e+00   0.00e+00   equal   ok      79 = 79
tiny on NVIDIA Fake 86, context 256; K/V F16; weights of both: the hash of seed 73227; bound 1e-03
position  rel. L2    max        bits    result  id
     255  0.00e+00   0.00e+00   equal   ok      82 = 82
passed: 2 positions, worst relative error 0.00e+00 at position 0, all bits equal' '' \
    ./tiny --weights random:73227 --verify 1 --ctx 1,256
want 7 'tiny on NVIDIA Fake 86, context 1; K/V F16; weights of both: tiny.llmw, unpacked; bound 1e-03
position  rel. L2    max        bits    result  id
       0  0.00e+00   0.00e+00   equal   ok      76 = 76
       1  1.77e-02   1.00e-01   differ  FAILED  44 = 44  the logits leave the bound
FAILED: 2 positions, worst relative error 1.77e-02 at position 1' \
    'tiny: error: position 1: the logits leave the bound (relative error 1.77e-02, bound 1e-03; id 44, reference 44) [E0720]' \
    env FAKE_CUDA_WRONG=1 ./tiny --verify 2
want 7 'tiny on NVIDIA Fake 86, context 1; K/V F16; weights of both: tiny.llmw, unpacked; bound 1e-03
position  rel. L2    max        bits    result  id
       0  inf        0.00e+00   differ  FAILED  76 = 76  a logit is not finite
FAILED: 1 positions, worst relative error inf at position 0' \
    'tiny: error: position 0: a logit is not finite (relative error inf, bound 1e-03; id 76, reference 76) [E0720]' \
    env FAKE_CUDA_WRONG=NAN ./tiny --verify 1
FAKE_CUDA_WRONG=BATCH ./tiny --verify 3 >out.txt 2>err.txt
must test $? = 7
must test "$(cat err.txt)" = 'tiny: error: 3 tokens in one go leave other bits than one by one, at position 2 [E0720]'
error 6 0602 'context 257, 4 positions: the context holds 256' -- ./tiny --verify --ctx 257
want 6 '{"error":{"code":"E0602","message":"context 257, 4 positions: the context holds 256","note":""}}' \
    'tiny: error: context 257, 4 positions: the context holds 256 [E0602]' ./tiny --verify --ctx 257 --json
./tiny --verify 8 --ctx 132,256 >out.txt # over the end of the first part of the rope table
must test $? = 0
./tiny --verify 3 --ctx 1,100 --json >out.txt
must "$json" positions bound passed <out.txt
FAKE_CUDA_WRONG=1 ./tiny --verify 3 --json >out.txt 2>err.txt
must test $? = 7
must "$json" positions bound passed <out.txt

./tiny --bench 8 -r 5 --ctx 1,200 >out.txt 2>err.txt
must test $? = 0 -a ! -s err.txt
says '^tiny on NVIDIA Fake 86, 8 tokens a launch, 5 launches a context; checked: relative error 0.0e\+00 \(bound 1e-03\)$' out.txt
says '^floor: the 49,152 bytes of the matrices read in [0-9.]+ ms before, [0-9.]+ ms after: [0-9.]+ GB/s$' out.txt
says '^\| 1 \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \| [0-9.]+% \|$' out.txt
says '^\| 200 \| ' out.txt
says '^prompt of 128 tokens: first token after [0-9.]+ ms' out.txt
./tiny --bench -r 3 -o jsonl >out.txt
must test "$(wc -l <out.txt)" = 5
while read -r line; do echo "$line" | must "$json" engine kind ms_median n; done <out.txt
says '^\{"engine":"llmc","kind":"gen64","ctx":1,"ms_median":[0-9.]+,.*"mean_ctx":32.5,"floor_ms":[0-9.]+,"floor_share":[0-9.]+,"samples_ms":\[[0-9.]+,[0-9.]+,[0-9.]+\],"note":"tiny on NVIDIA Fake 86' out.txt
./tiny --bench -r 2 -o out.jsonl --ctx 1,64 >out.txt
must test $? = 0 -a ! -s out.txt -a "$(wc -l <out.jsonl)" = 7 -a ! -e out.jsonl.part
while read -r line; do echo "$line" | must "$json" engine kind ms_median n; done <out.jsonl
echo old >kept.csv
error 9 0900 'none/out.csv: No such file or directory' -- ./tiny --bench -o none/out.csv
error 7 0720 'position 1: the logits leave the bound (relative error 1.77e-02, bound 1e-03; id 44, reference 44)' -- \
    env FAKE_CUDA_WRONG=1 ./tiny --bench -o kept.csv
must test "$(cat kept.csv)" = old -a ! -e kept.csv.part
./tiny --bench -r 2 -o csv --ctx 64 >out.txt
says '^llmc,gen64,64,[0-9.]+,' out.txt
says '^llmc,step_sync,64,[0-9.]+,[0-9.]+,[0-9.]+,2,' out.txt
want 0 'decode 4 x 64, 65536 shared, position 36, 60 tokens, 1 forced, 0 eos
decode 4 x 64, 1024 shared, position 96, 4 tokens, 1 forced, 0 eos' '' \
    bash -c 'FAKE_CUDA_LOG=log ./tiny --bench -r 1 --ctx 100 >bench.txt; grep position log | sed -n "4,5p"'
error 7 0720 'position 1: the logits leave the bound (relative error 1.77e-02, bound 1e-03; id 44, reference 44)' -- \
    env FAKE_CUDA_WRONG=1 ./tiny --bench

want 0 'ok    package      tiny for fake-gpu, plan 0000000000003333: digests and tables
ok    device       0: NVIDIA Fake 86 (sm_86, 20 SMs); every schedule is resident
ok    weights      49,792 bytes, 1 sums, fingerprint 0000000000002222
ok    repeat       4 tokens twice, the same
ok    reference    2 positions, relative error 0.0e+00 (bound 1e-03)' '' ./tiny --self-check
want 0 '{"passed":true}' '' ./tiny --self-check --json --weights random:3
env FAKE_CUDA_WRONG=0 ./tiny --self-check >out.txt 2>err.txt
must test $? = 7
says '^ok    repeat ' out.txt
says 'E0720' err.txt

want 0 'model         tiny: 2 layers, hidden 32, 2 heads, 1 K/V heads of 16, feed-forward 64, vocabulary 96, tied embedding
target        fake-gpu (NVIDIA Fake 86), sm_86, 20 SMs
context       256
memory        134,528 bytes: 49,792 weights + 84,608 state
                request    at         49,920,            496 bytes
                logits     at         50,432,            384 bytes
                rope table at         50,944,         16,384 bytes
                K/V cache  at         68,992,         65,536 bytes
                keys       at         67,328,            160 bytes
                choosable  at         67,536,             12 bytes
K/V           F16, 128 bytes a position
schedules     decode_96: contexts 1 to 96, 4 workers of 64 threads, 65,536 bytes shared, 9 waves, predicted 0.500 ms
              decode_256: contexts 97 to 256, 4 workers of 64 threads, 1,024 bytes shared, 9 waves, predicted 0.500 ms
floor         ~0.00025 ms at context 1, ~0.00041 ms at 256; 200.0 GB/s (data sheet)
eos           5
tokenizer     byte-level BPE, 96 ids, bos -1
chat template none
licence       the model came with none
weights       tiny.llmw: 49,792 bytes, from seed
fingerprints  model 0000000000001111, matrices 0000000000002222, plan 0000000000003333, source 0000000000004444
code          2,776 bytes, 64 registers a thread
made by       llmc 0.1.0, package version 6' '' ./tiny --info
must ./tiny --info --json | must "$json" model schedules weights plan_fingerprint eos
want 0 'tiny for fake-gpu, compiled by llmc 0.1.0' '' ./tiny --version
want 0 '{"version":1}' '' ./tiny --plan
want 0 '// decode.cu' '' ./tiny --source
"$make" "$stub" bare no-plan-json no-tokenizer
want 3 '' 'bare: error: this program does not carry its plan [E0460]' ./bare --plan
./bare --info >out.txt
says '^weights       none yet; add them with: llmc pack MODEL --into bare   \(MODEL: the Hugging Face folder or GGUF file of tiny\)$' out.txt
says '^tokenizer     none: SentencePiece is not in this version$' out.txt
