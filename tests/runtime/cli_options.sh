# cli_options.sh: what the command line takes and refuses.
./tiny >out.txt 2>err.txt
must test $? = 2 -a ! -s out.txt
says '^  -p --prompt TEXT ' err.txt
./tiny --help >out.txt 2>err.txt
must test $? = 0 -a ! -s err.txt
must test "$(head -1 out.txt)" = 'tiny: a language model compiled for NVIDIA Fake 86 (target fake-gpu) by llmc 0.1.0'
head -c -100 tiny >cut && chmod +x cut
must test "$(./cut --help | head -1)" = 'cut: a language model compiled by llmc 0.1.0'
says '^  -p --prompt TEXT ' out.txt

error 2 0201 'unknown option --promt' 'did you mean --prompt? --help lists all' -- ./tiny --promt x
error 2 0201 'unknown option --xyzzyxyzzy' '--help lists all options' -- ./tiny --xyzzyxyzzy
error 2 0201 'unknown option --pompt' 'did you mean --prompt? --help lists all' -- ./tiny --pompt=x
error 2 0203 '-m is not in this version (the model is in the program: llmc compile MODEL)' -- ./tiny -m model.gguf
error 2 0203 '-t is not in this version (it is compiled in: llmc compile --help)' -- ./tiny -p x -t 4
error 2 0203 '--model is not in this version (the model is in the program: llmc compile MODEL)' -- ./tiny --model model.gguf
for option in --threads --gpu-layers; do
    error 2 0203 "$option is not in this version (it is compiled in: llmc compile --help)" -- ./tiny -p x $option 4
done
for option in --chat-template --chat-template-file; do
    error 2 0203 "$option is not in this version (it is compiled in: llmc pack MODEL --into PROGRAM --chat-template)" -- ./tiny -p x $option=chatml
done
error 2 0202 '-n needs a value: -n N' -- ./tiny -p x -n
error 2 0202 '--logits needs a value: --logits FILE' -- ./tiny -p x --logits --ids
for option in --logits --weights --device --ctx --output; do
    error 2 0202 "$option is empty: expected $(./tiny --help | sed -nE "s/^  (.* )?$option ([^ ]+) .*/\\2/p")" -- ./tiny -p x $option=
done
for n in +3 ' 3' 3x 1073741825 99999999999999999999 ''; do
    error 2 0202 "-n is \"$n\": expected a whole number from -1 to 1073741824" -- ./tiny -p x "-n=$n"
done
error 2 0202 '--verify is "0": expected a whole number from 1 to 1073741824' -- ./tiny --verify 0
error 2 0202 '--verify is "-1": expected a whole number from 1 to 1073741824' -- ./tiny --verify -1
error 2 0202 '--bench is "x": expected a whole number from 1 to 64' -- ./tiny --bench x
error 2 0202 '--bench is "65": expected a whole number from 1 to 64' -- ./tiny --bench 65
for t in hot -1 nan inf 0.0001 1e9 '' 1,5; do
    error 2 0202 "--temp is \"$t\": expected 0 (the largest logit), or 0.001 to 1000" -- ./tiny -p x "--temp=$t"
done
for p in 0 1.01 -0.5 nan x; do
    error 2 0202 "--top-p is \"$p\": expected over 0 and at most 1 (all)" -- ./tiny -p x --temp 1 "--top-p=$p"
done
error 2 0202 '--top-k is "1.5": expected a whole number, 0 (all) or more' -- ./tiny -p x --temp 1 --top-k 1.5
error 2 0202 '--top-k is "-1": expected a whole number, 0 (all) or more' -- ./tiny -p x --temp 1 --top-k -1
error 2 0202 '--min-p is "1.5": expected 0 (all) to 1' -- ./tiny -p x --temp 1 --min-p 1.5
error 2 0202 '--repeat-penalty is "0": expected over 0 and at most 100; 1 changes nothing' -- ./tiny -p x --repeat-penalty 0
error 2 0202 '--presence-penalty is "101": expected -100 to 100; 0 changes nothing' -- ./tiny -p x --presence-penalty 101
error 2 0202 '--frequency-penalty is "-nan": expected -100 to 100; 0 changes nothing' -- ./tiny -p x --frequency-penalty -nan
error 2 0202 '--repeat-last-n is "-2": expected a whole number: 0 (none) or more, -1 (the whole context)' -- ./tiny -p x --repeat-last-n -2
error 2 0202 '--seed is "1.5": expected a whole number, or -1 for any' -- ./tiny -p x --temp 1 -s 1.5
error 2 0202 '--seed is "18446744073709551616": expected a whole number, or -1 for any' -- ./tiny -p x --seed 18446744073709551616
for b in 5 5+ +1 5+x 5+nan 5+inf 5=1 x-1 5+1e9; do
    error 2 0202 "--logit-bias is \"$b\": expected an id and what is added to its logit, as in 15043+1.5, or 15043-inf (never)" -- ./tiny -p x -l "$b"
done
for o in '--top-k 4' '--top-p 0.5' '--min-p 0.5'; do
    error 2 0200 "${o% *} has an effect in sampling alone, and without --temp the largest logit is taken: give --temp too, as in --temp 0.8" -- ./tiny -p x $o
done
error 2 0200 '--repeat-last-n has no effect without --repeat-penalty, --presence-penalty or --frequency-penalty' -- ./tiny -p x --repeat-last-n 5
want 0 "$(./tiny -p x -q 2>&1)" '' ./tiny -p x -q --repeat-last-n 5 --repeat-penalty 1 --top-k 0 --top-p 1 --min-p 0
error 2 0200 '--temp has no effect beside --verify: it belongs to a prompt (-p, -f or --ids-in) and --serve' -- ./tiny --verify --temp 1
error 2 0202 '--ctx is "1,": expected at most 32 contexts, as in 1,1024,4096' -- ./tiny --verify --ctx 1,
error 2 0202 '-n is "x": expected a whole number from -1 to 1073741824' -- ./tiny -p x -n x
error 2 0202 '--n-predict is "-2": expected a whole number from -1 to 1073741824' -- ./tiny -p x --n-predict=-2
error 2 0202 '--ids takes no value' -- ./tiny --ids=1
error 2 0202 '--ctx is "1,0": expected at most 32 contexts, as in 1,1024,4096' -- ./tiny --verify --ctx 1,0
error 2 0202 '-o is "xml": expected md, jsonl or csv, or a file that ends so' -- ./tiny --bench -o xml
error 2 0202 '-o is "out.json": expected md, jsonl or csv, or a file that ends so' -- ./tiny --bench -o out.json
error 2 0200 '--logprobs has an effect beside --json alone, which shows them' -- ./tiny -p x --logprobs 3
error 2 0202 '--logprobs is "21": expected a whole number from 0 to 20' -- ./tiny -p x --logprobs 21
error 2 0202 '--logprobs is "-1": expected a whole number from 0 to 20' -- ./tiny -p x --logprobs -1
error 2 0200 '--port has no effect beside -p: it belongs to --serve' -- ./tiny -p x --port 8080
error 2 0200 '-n has no effect beside --serve: it belongs to a prompt (-p, -f or --ids-in)' -- ./tiny --serve -n 3
error 2 0200 '--info and --serve are two things to do: give one of them' -- ./tiny --info --serve
error 2 0200 'give one of -p, -f and --ids-in, not several' -- ./tiny -p x -f y

# One thing to do, and no option without an effect on it.
error 2 0200 '-p is given twice: "x" and "y"' -- ./tiny -p x -p y
error 2 0200 '--predict is given twice: "3" and "4"' -- ./tiny -p x -n 3 --predict 4
error 2 0200 '--bench and --verify are two things to do: give one of them' -- ./tiny --verify 3 --bench
error 2 0200 '-p and --info are two things to do: give one of them' -- ./tiny --info -p x
error 2 0200 '--plan and --source are two things to do: give one of them' -- ./tiny --plan --source
error 2 0200 '--repeats has no effect beside -p: it belongs to --bench and --explain' -- ./tiny -p x --repeats 2
error 2 0200 '--stop has no effect beside --verify: it belongs to a prompt (-p, -f or --ids-in)' -- ./tiny --verify --stop x
error 2 0202 '--stop is empty: expected TEXT' -- ./tiny -p x --stop ''
error 2 0202 '-r is given more than 16 times' -- ./tiny -p x $(for i in {1..17}; do echo -r .; done)
error 2 0202 '--stop "\xff": byte 1 is no UTF-8, so no text holds it' -- ./tiny -p x --stop $'\xff'
error 2 0202 '--stop "a": byte 2 is zero' -- ./tiny -p x -e --stop 'a\x00'
error 2 0200 '-o has no effect beside --verify: it belongs to --bench' -- ./tiny --verify -o md
error 2 0200 '--ctx has no effect beside -f: it belongs to --bench, --verify and --explain' -- ./tiny -f x --ctx 3
error 2 0200 '-n has no effect beside --bench: it belongs to a prompt (-p, -f or --ids-in)' -- ./tiny --bench -n 3
error 2 0200 '--ids has no effect beside --verify: it belongs to a prompt (-p, -f or --ids-in)' -- ./tiny --verify --ids
error 2 0200 '-c has no effect beside --info: it belongs to what runs the model' -- ./tiny --info -c 3
error 2 0200 'no prompt: give one of -p, -f and --ids-in' -- ./tiny -n 3
error 2 0200 '"hello" is no option: a prompt is given with -p' -- ./tiny hello
error 2 0200 '"-x" stands alone: a prompt is given with -p' -- ./tiny -- -x
want 2 '{"error":{"code":"E0200","message":"--logits - and --json both need standard output","note":""}}' \
    'tiny: error: --logits - and --json both need standard output [E0200]' ./tiny -p x --logits - --json
error 3 0300 'none.txt: No such file or directory' -- ./tiny -f none.txt
error 3 0300 'none\x0a\x1b[2J\xff: No such file or directory' -- ./tiny -f $'none\n\e[2J\xff'
for ids in '1;2' -1 1.5 0x1 none.txt; do
    error 3 0300 "--ids-in is \"$ids\": neither ids, as in 1,2,3, nor a file that can be read" -- ./tiny --ids-in "$ids"
done
error 2 0202 '--ids-in: id 999 at index 1: the model has ids below 96' -- ./tiny --ids-in 1,999
error 2 0202 '--ids-in: id 18446744073709551617 at index 0: the model has ids below 96' -- \
    ./tiny --ids-in 18446744073709551617
error 2 0202 '--ids-in: "x" at index 1 is no id: expected numbers, as in 1,2,3' -- ./tiny --ids-in 1,x,3
error 2 0202 '--ids-in has no ids' -- ./tiny --ids-in ,
error 2 0202 '--ids-in: at index 1 nothing stands between two commas' -- ./tiny --ids-in '1, ,3'
error 2 0202 '--weights is "random:x": expected random:SEED with a whole number' -- ./tiny --weights random:x --ids-in 1
error 2 0200 'the prompt is empty, and this model has no token that begins a text' -- ./tiny -p ''
error 6 0602 'a context of 513 was asked for; this program was compiled for 256' 'the model itself ends at 512 positions' -- \
    ./tiny -p x -c 513
error 6 0602 'a context of 512 was asked for; this program was compiled for 256' 'recompile with --ctx 512' -- \
    ./tiny -p x -c 512

# Spellings that mean the same, and the environment that the command line beats.
want 0 '_9A' 'STATS 3' ./tiny -p abc -n 3
want 0 '_9A' 'STATS 3' ./tiny --prompt=abc --n-predict 3 --temp 0 --no-display-prompt
want 0 '_9A' '' ./tiny --prompt abc --predict=3 -q
want 0 '_9' 'STATS 3' env LLMC_ARG_PROMPT=abc LLMC_ARG_N_PREDICT=2 ./tiny
want 0 '_9A' '' env LLMC_ARG_FILE=none.txt LLMC_ARG_BENCH=3 LLMC_ARG_SEED=0 ./tiny -p abc -n 3 -q
want 0 '_9A' '' ./tiny -p=abc -n=3 -q -q
want 0 '_9A' '' env LLMC_ARG_PROMPT=zzz LLMC_ARG_QUIET=1 LLMC_ARG_IDS=0 ./tiny -p abc -n 3
want 0 '_9A' '' env LLMC_ARG_QUIET=1 LLMC_ARG_IDS=False LLMC_ARG_JSON=off ./tiny -p abc -n 3
want 0 '63,25,33' '' env LLMC_ARG_IDS=1 ./tiny -p abc -n 3 -q
want 0 '_9A' '' env LLMC_ARG_MODEL=m LLMC_ARG_THREADS=512 LLMC_ARG_CHAT_TEMPLATE=chatml ./tiny -p abc -n 3 -q # llmc's own
error 2 0202 'LLMC_ARG_N_PREDICT is "x": expected a whole number from -1 to 1073741824' -- env LLMC_ARG_N_PREDICT=x ./tiny -p abc

# A variable that nobody knows is named, whatever -q says, and stops nothing; what is llmc's is no matter here.
unknown() { # VARIABLE WHAT
    want 0 '_9A' "warning: $1 has no effect: $2" env "$1=1" ./tiny -p abc -n 3 -q
}
nobody='neither a program nor llmc knows it'
unknown LLMC_ARG_TOPK "$nobody; did you mean LLMC_ARG_TOP_K?"
unknown LLMC_ARG_top_k "$nobody; did you mean LLMC_ARG_TOP_K?"
unknown LLMC_ARG_MAX_ERROR "$nobody; did you mean LLMC_ARG_MAX_ERRORS?"
unknown LLMC_ARG_XYZZYXYZZY "$nobody"
unknown LLMC_ARG_ "$nobody"
unknown LLMC_ARG_N "$nobody"
want 0 '_9A' "warning: LLMC_ARG_\\x1b[2J has no effect: $nobody" env $'LLMC_ARG_\e[2J=1' ./tiny -p abc -n 3 -q
unknown LLMC_ARG_LOG_FILE 'the option is not in this version (logs)'
unknown LLMC_ARG_GPU_LAYERS 'the option is not in this version (it is compiled in: llmc compile --help)'
want 2 '' "warning: LLMC_ARG_PROMT has no effect: $nobody; did you mean LLMC_ARG_PROMPT?
tiny: error: no prompt: give one of -p, -f and --ids-in [E0200]" env LLMC_ARG_PROMT=abc ./tiny -n 3
want 0 '_9A' '' env LLMC_ARG_TARGET=h200 LLMC_ARG_KV_TYPE=f32 LLMC_ARG_WERROR=1 LLMC_ARG_NO_WARN=,tied, ./tiny -p abc -n 3 -q

# Prompts: a file, standard input, escapes, ids from a file.
printf abc >prompt.txt
want 0 '_9A' '' ./tiny -f prompt.txt -n 3 -q
want 0 '_9A' '' bash -c 'printf abc | ./tiny -f - -n 3 -q'
want 0 '_9A' '' ./tiny -e -p 'a\x62c' -n 3 -q
printf '65 66\n67\n' >ids.txt
want 0 '_9A' '' ./tiny --ids-in ids.txt -n 3 -q
want 0 '63,25,33' '' ./tiny --ids-in 65,66,67 -n 3 -q --ids
want 0 ')N' 'warning: 1 byte of the prompt has no token in this vocabulary and was left out
llmc: prompt 0: 65 "a"
llmc: prompt 1: 33 "A"
STATS 2' ./tiny -e -p 'aA\n' -n 2 --verbose-prompt
want 0 ')N' 'warning: 3 bytes of the prompt have no token in this vocabulary and were left out' ./tiny -e -p '\naA\n\n' -n 2 -q
