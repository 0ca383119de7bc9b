#!/bin/bash
# Options: values, spellings, what excludes what; nothing is ignored in silence.
. "$(dirname "$0")/common.sh"
compile() { says "$1" "$2" llmc compile tiny.json --target cpu "${@:3}"; }
usage() { compile 2 "llmc: error: $1 [E0200]" "${@:2}"; }
value() { compile 2 "llmc: error: $1 [E0202]" "${@:2}"; }
later() { compile 2 "llmc: error: $1 [E0203]" "${@:2}"; }

# Unknown ones name the nearest that exists; those of later versions are named as such.
compile 2 'llmc: error: unknown option "--taget" [E0201]
note: did you mean --target?' --taget=x
compile 2 'llmc: error: unknown option "--xyzzyxyzzy" [E0201]
note: `llmc --help` lists verbs and options' --xyzzyxyzzy=3
compile 2 'llmc: error: unknown option "-O22" [E0201]
note: `llmc --help` lists verbs and options' -O22
compile 2 'llmc: error: unknown option "-Wall" [E0201]
note: all warnings are on: -Wno-NAME silences one, -Werror stops at the first' -Wall
compile 2 'llmc: error: unknown warning "tide" [E0201]
note: did you mean -Wno-tied?' -Wno-tide
compile 2 'llmc: error: unknown warning "xyzzyxyzzy" [E0201]
note: warnings are balance default environment probe tied tokenizer-bos tokenizer-lost' -Wno-xyzzyxyzzy
compile 2 'llmc: error: --into is not an option of compile: it belongs to pack [E0201]' --into x
compile 2 'llmc: error: --why is not an option of compile: it belongs to plan [E0201]' --why
compile 2 'llmc: error: --ctx is "1,300": one number was expected; `llmc plan` takes a list [E0202]' --ctx 1,300
says 2 'llmc: error: --ctx is "x": must be a whole number from 1 to 16777216 [E0202]' llmc plan tiny.json --target tiny-gpu --ctx 1,x
says 2 'llmc: error: --ctx is "1,,2": a name between the commas is empty [E0202]' llmc plan tiny.json --target tiny-gpu --ctx 1,,2
says 2 'llmc: error: --ctx is not an option of check: it belongs to compile, plan [E0201]' llmc check tiny.json --ctx 3
for option in --dtype --tokens-per-launch --prefix --pre -j; do
    later "$option: not in this version" $option
done
later '-j4: not in this version' -j4
for level in -O0 -O1 -O3; do
    later "$level: not in this version, which has -O2 alone" $level
done
later '-fno-norm-fold: not in this version' -fno-norm-fold
later '`llmc compile --json`: not in this version' --json
later '`llmc compile --map`: not in this version' --map x
says 2 'llmc: error: `llmc pack --output`: not in this version [E0203]' llmc pack tiny.json -o x
later '--feed async: not in this version, which has plain and bulk' --feed async
later '--kv-type q8_0: not in this version, which has f16, bf16 and f32' --kv-type q8_0
for kind in ptx; do
    later "--emit=$kind: not in this version" --emit=$kind
done

# What a card's memory does not hold is refused before anything is planned.
says 6 'llmc: error: llama-3.1-8b needs 16,060,522,496 bytes for its weights, and room to work in; rtx-3050 has 8,589,934,592 [E0601]' \
    llmc plan "$models/llama-3.1-8b.json" --target rtx-3050
says 6 'llmc: error: a context of 100,000 needs 13,107,200,000 bytes of K/V beside 16,060,522,496 of weights; rtx-3090 has 25,769,803,776 [E0601]
note: --ctx 70784 fits' llmc plan "$models/llama-3.1-8b.json" --target rtx-3090 --ctx 100000

# Values.
value '--output needs a value: --output FILE' -o
value '--output is empty: a value was expected, --output FILE' -o ''
value '--output is empty: a value was expected, --output FILE' -o=
value '--nvcc is empty: a value was expected, --nvcc PATH' --nvcc=
value '--target is "a,,b": a name between the commas is empty' --target a,,b
value '--target is "cpu,": a name between the commas is empty' --target=cpu,
compile 2 'llmc: error: --emit needs a value: --emit KIND,...; "--target" is an option [E0202]
note: --emit=--target if that is meant' --emit --target
value '--emit is "xyz": must be one of config graph fuse plan plan.json svg cuda map cubin report exe lib' --emit=plan,xyz
value '--no-build takes no value' --no-build=1
for n in 0 -1 +5 ' 5' 5x 0x5 1e3 '' 16777217 99999999999999999999; do
    value "--ctx is \"$n\": must be a whole number from 1 to 16777216" "--ctx=$n"
done
value '--threads is 33: must be a multiple of 32' --threads 33
value '--threads is "1056": must be a whole number from 32 to 1024' --threads 1056
value '--workers is 5: cpu has 4 multiprocessors, and each holds one worker' --workers 5
value '--sync is "pack": must be one of barrier packets' --sync pack
value '--feed is "x": must be one of plain bulk' --feed x
value '--kv-type is "F16": must be one of f16 bf16 f32' --kv-type F16
for arch in 86 sm_ sm_0 sm_086 sm_9999 sm_86a native; do
    value "--arch is \"$arch\": must be one of sm_75 sm_80 sm_86 sm_89 sm_90 sm_120 cpu" --arch $arch
done
value '--color is "x": must be one of auto always never' --color x
value '--color needs a value: --color=auto|always|never' --color
value '--diagnostics-format is "xml": must be one of text json' --diagnostics-format=xml
for n in 0 -1 x ''; do
    value "--max-errors is \"$n\": must be a whole number from 1 to 999999" "--max-errors=$n"
done
says 2 'llmc: error: LLMC_ARG_MAX_ERRORS is "x": must be a whole number from 1 to 999999 [E0202]' \
    env LLMC_ARG_MAX_ERRORS=x "$llmc" check tiny.json
says 2 'llmc: error: LLMC_ARG_COLOR is "red": must be one of auto always never [E0202]' \
    env LLMC_ARG_COLOR=red "$llmc" check tiny.json

# Variables without an effect are named and stop nothing; llmc and its programs know each other's.
mkdir env
warns() { # VARIABLE WHAT [NOTE]
    says 0 "llmc: warning: $1 has no effect: $2 [-Wenvironment]${3:+
note: $3}" env "$1=1" "$llmc" plan tiny.json --target cpu -q -o env/plan
}
warns LLMC_ARG_QUITE 'neither llmc nor a program knows it' 'did you mean LLMC_ARG_QUIET?'
warns LLMC_ARG_TOPK 'neither llmc nor a program knows it' 'did you mean LLMC_ARG_TOP_K?'
warns LLMC_ARG_XYZZYXYZZY 'neither llmc nor a program knows it'
warns LLMC_ARG_KV_TYPE '--kv-type is taken from the command line alone'
warns LLMC_ARG_CHAT_TEMPLATE '--chat-template is taken from the command line alone'
says 0 '' env LLMC_ARG_TOPK=1 LLMC_ARG_CHAT_TEMPLATE=x "$llmc" plan tiny.json --target cpu -Wno-environment -o env/plan
"$llmc" compile tiny.json --target cpu -o env/p -q || fail 'compile env/p'
variables() { grep -oE -- '--[a-z0-9-]+' | sort -u | sed 's/^--//' | tr a-z- A-Z_; }
env/p --help | sed -nE 's/^  ((-[a-z-]+ )+).*/\1/p' | variables >of_programs
for verb in compile pack check plan render verify targets probe; do
    "$llmc" help $verb | sed -nE 's/^  (-[^ ]+,? ?(--[^ ]+)?).*/\1/p' | variables
done | sort -u >of_llmc
printf 'NO_WARN\nWERROR\nQUIET\nCOLOR\nMAX_ERRORS\nDIAGNOSTICS_FORMAT\n' | sort >llmc_reads
must test "$(wc -l <of_programs)" -gt 60 -a "$(wc -l <of_llmc)" -gt 30
says 0 '' env $(comm -23 of_programs llmc_reads | sed 's/.*/LLMC_ARG_&=x/') "$llmc" plan tiny.json --target cpu -o env/plan
env $(sort -u of_llmc llmc_reads | comm -23 - of_programs | sed 's/.*/LLMC_ARG_&=x/') env/p --version >out.txt 2>err.txt || fail 'env/p --version'
must [ ! -s err.txt ] || cat err.txt
rm -rf env of_programs of_llmc llmc_reads

compile 6 'tiny.json: error: --ctx 2049 is over the model'\''s maximum of 2048 positions [E0602]' --ctx 2049

# Two values for one thing, and options without effect.
usage '--ctx is "5" and --ctx is "6": give one of them' --ctx 5 --ctx 6
usage '--sms is "3" and --workers is "2": give one of them' --sms 3 --workers=2
usage '--nvcc has no effect beside --no-build' --no-build --nvcc
usage '--save-temps has no effect beside --no-build' --save-temps --no-build
usage '--emit=cubin needs a build: it excludes --no-build' --emit=cubin --no-build
usage '--nvcc: a program for the CPU is built by g++ or clang++ ($CXX names another)' --nvcc=/x
usage '-Xnvcc: a program for the CPU is built by g++ or clang++ ($CXX names another)' -Xnvcc -v
compile 2 'llmc: error: --arch sm_86: target cpu is no GPU [E0200]
note: --target tiny-gpu has the same sizes' --arch sm_86
usage '--target cpu and --target cards/cpu.json would write the same outputs' --target cards/cpu.json
"$llmc" plan tiny.json --target cpu --json -o plan.json || fail "plan --json"
for option in "--target cpu" "--ctx 5" "--kv-type f16" "--workers 1" "--sms 1" "--threads 64" "--sync barrier" "--feed plain" --redzone; do
    says 2 "llmc: error: ${option%% *} has no effect beside --plan: the plan says it; edit plan.json, or plan again [E0200]" \
        llmc compile --plan plan.json $option
done
sed 's/"qkv", "worker": 1, "row": 64, "rows": 64/"qkv", "worker": 1, "row": 64, "rows": 65/' plan.json >bad.json
for line in 'compile --plan bad.json|correct the tasks named, or leave --plan out: llmc plans again' \
    'render bad.json|correct the tasks named, or make a new plan: llmc plan MODEL --target T --json'; do
    "$llmc" ${line%|*} -q >out.txt 2>err.txt
    must [ $? = 7 ]
    must grep -q '^bad.json: error: rule 1: .* row 128 of qkv is written twice, .* \[E0700\]$' err.txt
    must [ "$(tail -1 err.txt)" = "note: ${line#*|}" ]
    must [ ! -s out.txt ]
done
says 2 'llmc: error: --emit=graph comes before the plan: it has nothing to print beside --plan [E0200]' \
    llmc compile --plan plan.json --emit=graph

# --emit: each kind that is asked for is written, the last one stops the passes.
"$llmc" compile tiny.json --target cpu --emit=plan.json,cuda --emit=graph >out.txt || fail "--emit of three"
must grep -q '^{$' out.txt
must grep -q '^// Generated by llmc' out.txt
must grep -q 'gemv' out.txt
must [ ! -e tiny ]
"$llmc" compile tiny.json --target cpu --emit=report --no-build >out.txt || fail "--emit=report"
must grep -q '"tool": "none"' out.txt
must [ ! -e tiny.d ]
"$llmc" compile tiny.json --target cpu --emit=plan,exe -q >out.txt || fail "--emit=plan,exe"
must grep -q '^tiny on cpu' out.txt
must [ -x tiny ]
rm -rf tiny tiny.d out.txt
usage '-o x: --emit asks for 2 texts, one file holds one; without -o all go to stdout' --emit=plan,cuda -o x
says 0 '' llmc compile tiny.json --target cpu --emit=plan,plan -o tiny.plan
"$llmc" compile tiny.json --target cpu --target tiny-gpu --emit=plan -o x || fail "two targets"
must grep -q '^tiny on cpu' x-cpu
must grep -q '^tiny on tiny-gpu' x-tiny-gpu
"$llmc" compile tiny.json --target cpu --save-temps -o mine -q || fail "--save-temps"
must [ -s mine.temps/decode.cu ]
exit $failed
