#!/bin/bash
# --bundle: weights inside the program, made, packed again and proved; the model's licence files go with it.
. "$(dirname "$0")/common.sh"
mkdir A B hf
cp "$here"/../errors/parts/hf.* "$here"/../errors/parts/tiny.* .
"$make" hf.single . || exit 1
mv hf/* A/
cp A/* B/
want_license=$'==== LICENSE.txt ====\nOne licence\n\n==== Notice ====\nA notice\n\n==== USE_POLICY.md ====\nA policy'
printf 'One licence' >A/LICENSE.txt
printf 'A policy\n' >A/USE_POLICY.md
printf 'A notice\n' >A/Notice
printf 'a\0b' >A/LICENSE.bin
printf 'no licence' >A/README.md

# One file gives what two give, and nothing lies beside it.
"$llmc" compile A --target cpu -o two 2>err.txt || exit 1
must grep -q '^note: A/LICENSE.bin is no text: it is not carried along$' err.txt
rm A/LICENSE.bin
"$llmc" compile A --target cpu --bundle -o one -q || fail "compile --bundle"
must [ ! -e one.llmw ]
must [ "$(./one --ids-in 1,2 -n 6 --ids -q)" = "$(./two --ids-in 1,2 -n 6 --ids -q)" ]
must [ "$(./one --license)" = "$want_license" ]
must [ "$(./two --license)" = "$want_license" ]
"$llmc" verify one --model A >out.txt || fail "verify one: $(cat out.txt)"
must grep -q "^weights: every number of one equals the checkpoint's$" out.txt
must grep -q '^passed: 4 positions' out.txt
must cmp <(tail -c +4097 two.llmw) <(tail -c +$(($(grep -abo LLMCWTS one | tail -1 | cut -d: -f1) + 4097)) one | head -c $(($(stat -c %s two.llmw) - 4096)))

# Packed again it stays one file, with the licences of the new model; --bundle makes one of two and says what is left over.
says 0 'note: packed random:5 into one, weights too' llmc pack B --weights random:5 --into one
must [ ! -e one.llmw ]
must [ "$(./one --ids-in 1 -n 4 --ids -q)" = "$(./two --weights random:5 --ids-in 1 -n 4 --ids -q)" ]
must [ "$(./one --license 2>&1)" = 'note: the model came with no licence file' ]
says 0 'note: packed A into two, weights too
note: two.llmw is no longer read: two carries its weights' llmc pack A --into two --bundle
rm two.llmw
must [ "$(./two --ids-in 1,2 -n 6 --ids -q)" = "$("$llmc" compile A --target cpu -o three -q && ./three --ids-in 1,2 -n 6 --ids -q)" ]
printf 'mine\n' >own.txt
says 0 'note: packed A into two, weights too' llmc pack A --into two --license own.txt
must [ "$(./two --license)" = "==== own.txt ====
mine

$want_license" ]
says 3 'none.txt: error: cannot open: No such file or directory [E0300]' llmc pack A --into two --license none.txt
must [ "$(./two --license | head -1)" = '==== own.txt ====' ]

# A config alone has no weights to put in; a number that differs is found in one file too.
says 3 'tiny.json: error: --bundle: there are no weights beside this config [E0335]' llmc compile tiny.json --target cpu --bundle -o x
must [ ! -e x ]
"$llmc" pack A --weights random:6 --into two -q
"$llmc" verify two --model A >out.txt 2>err.txt
must [ $? = 7 ]
must grep -q '^two: error: model\.[a-z0-9_.]*: row 0, column 0 is .*, the checkpoint has .* \[E0720\]$' err.txt

# The licence keys of a GGUF.
{ printf 'gguf t.gguf\ninclude tiny.keys\nkey general.license str apache-2.0\nkey general.license.link str https://example.org/licence\nmodel BF16\n'; } >script
"$make" script . || exit 1
"$llmc" compile t.gguf --target cpu -o g -q || fail "compile t.gguf"
must [ "$(./g --license)" = '==== t.gguf ====
general.license: apache-2.0
general.license.link: https://example.org/licence' ]
exit $failed
