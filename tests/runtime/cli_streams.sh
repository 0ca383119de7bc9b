# cli_streams.sh: terminals, colours, locales, pipes, long and foreign names.
export TERM=xterm
unset NO_COLOR
red=$'\033[1;31m' violet=$'\033[1;35m' end=$'\033[0m'

# Colours: on a terminal that has them, unless NO_COLOR is set, and where --color says so.
if python3 -c 'import pty' 2>/dev/null; then
    terminal="python3 $(dirname "$0")/terminal.py"
    want 2 "tiny: ${red}error:${end} unknown option --promt [E0201]
${violet}note:${end} did you mean --prompt? --help lists all" '' $terminal ./tiny --promt x
    plain='tiny: error: unknown option --promt [E0201]
note: did you mean --prompt? --help lists all'
    want 2 "$plain" '' env NO_COLOR=1 $terminal ./tiny --promt x
    want 2 "$plain" '' env TERM=dumb $terminal ./tiny --promt x
    want 2 "$plain" '' env -u TERM $terminal ./tiny --promt x
    want 2 "$plain" '' $terminal ./tiny --color=never --promt x
    want 2 "tiny: ${red}error:${end} unknown option --promt [E0201]
${violet}note:${end} did you mean --prompt? --help lists all" '' env NO_COLOR= $terminal ./tiny --promt x
    # The text alone, without a mark of any kind.
    want 0 '_9A' '' $terminal ./tiny -p abc -n 3 -q
else
    echo 'skipped: colours on a terminal (no python3 with pty)'
fi
want 2 '' 'tiny: error: unknown option --promt [E0201]
note: did you mean --prompt? --help lists all' ./tiny --promt x
want 2 '' "tiny: ${red}error:${end} unknown option --promt [E0201]
${violet}note:${end} did you mean --prompt? --help lists all" env NO_COLOR=1 ./tiny --color always --promt x
error 2 0202 '--color is "blue": expected auto, always or never' -- ./tiny -p x --color blue

# JSON: one object, whatever goes wrong and wherever --json stands.
./tiny --promt x --json >out.txt 2>err.txt
must test $? = 2
must "$json" error <out.txt
./tiny --json -p x --device 7 >out.txt 2>err.txt
must test $? = 5
must "$json" error <out.txt
FAKE_CUDA_FAULT=4:1:2:2 ./tiny --json -p abc -n 10 >out.txt 2>err.txt
must test $? = 8
must "$json" error <out.txt
./tiny --ids-in 1,2,3 --json --ids -n 4 2>/dev/null >out.txt
must "$json" ids finish_reason usage timings <out.txt
must test "$(wc -l <out.txt)" = 1

# Locales: the decimal mark is a point and UTF-8 stays UTF-8.
mkdir 'é ü 世界'
cp tiny tiny.llmw 'é ü 世界'
printf abc >'é ü 世界/ß.txt'
for locale in C de_DE.UTF-8 tr_TR.ISO-8859-9; do
    export LC_ALL=$locale LC_NUMERIC=$locale
    want 0 '_9A' 'STATS 3' './é ü 世界/tiny' -f 'é ü 世界/ß.txt' -n 3
    './é ü 世界/tiny' --info >out.txt 2>err.txt
    says '^weights +é ü 世界/tiny\.llmw: [0-9,]+ bytes' <(sed "s|$work/||" out.txt)
    ./tiny -p abc -n 3 --json >out.txt 2>err.txt
    must "$json" text <out.txt
    says '"load_ms":[0-9]+\.[0-9]+,"load_driver_ms":[0-9.e+-]+,"load_weights_ms":[0-9.e+-]+,' out.txt
    error 3 0300 'é ü 世界/œ.txt: No such file or directory' -- ./tiny -f 'é ü 世界/œ.txt'
done
export LC_ALL=C
unset LC_NUMERIC

# Names of 300 bytes and more are taken and said in whole.
long=$(printf 'folder-%03d-with-a-long-name-that-goes-on-and-on/' 1 2 3 4 5 6 7)
must test ${#long} -gt 300
mkdir -p "$long"
cp tiny tiny.llmw "$long"
printf abc >"${long}prompt.txt"
want 0 '_9A' 'STATS 3' "./${long}tiny" -f "${long}prompt.txt" -n 3
want 0 '_9A' '' "./${long}tiny" -p abc -n 3 -q --logits "${long}rows.bin" --weights "${long}tiny.llmw"
must test "$(stat -c %s "${long}rows.bin")" = $((5 * 96 * 4))
error 3 0300 "${long}none.txt: No such file or directory" -- ./tiny -f "${long}none.txt"
error 3 0335 "no weights: ${long}none: No such file or directory" 'llmc pack MODEL --into tiny   (MODEL: the Hugging Face folder or GGUF file of tiny)' -- \
    ./tiny -p x --weights "${long}none"
error 9 0900 "${long}no/such.bin: No such file or directory" -- ./tiny -p abc --logits "${long}no/such.bin"
name=$(printf 'x%.0s' {1..250})
"$make" "$stub" "$name" weights=73227
want 0 '_9A' 'STATS 3' "./$name" -p abc -n 3
want 3 '' "$name: error: no weights: none: No such file or directory [E0335]
note: llmc pack MODEL --into $name   (MODEL: the Hugging Face folder or GGUF file of tiny)" "./$name" -p abc --weights none
