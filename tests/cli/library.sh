#!/bin/bash
# --emit=lib: a header, a static and a shared library; examples/embed, linked with either, gives what the program gives.
cc=$3 flags=${4:-}
. "$(dirname "$0")/common.sh"
embed=$here/../../examples/embed/embed.c
"$llmc" compile tiny.json --target cpu --weights random:3 -o tiny -q || exit 1
mkdir lib 'two words'
"$llmc" compile tiny.json --target cpu --weights random:3 --emit=lib -o lib/tiny 2>err.txt || fail "compile --emit=lib: $(cat err.txt)"
must grep -q '^note: use: lib/tiny.h with lib/libtiny.so or lib/libtiny.a; weights: lib/tiny.llmw$' err.txt
must [ "$(ls lib | tr '\n' ' ')" = 'libtiny.a libtiny.so tiny.d tiny.h tiny.llmw ' ]
must cmp lib/tiny.llmw tiny.llmw
must [ "$(nm -D --defined-only lib/libtiny.so | awk '{ print $3 }' | grep -v '^llmc_')" = '' ]
must [ "$(nm -g --defined-only lib/libtiny.a 2>/dev/null | awk 'NF == 3 { print $3 }' | grep -v '^llmc_')" = '' ]
want=$(./tiny --ids-in 1,2,3 -n 6 --ids -q | tr , ' ')
build="$cc $flags -std=c11 -Wall -Wextra -Werror -DMODEL=\"tiny.h\" -Ilib"

$build "$embed" -Llib -ltiny '-Wl,-rpath,$ORIGIN/lib' -o shared || fail "linking the shared library"
must [ "$(./shared '1 2 3' 6)" = "$want " ]
$build "$embed" lib/libtiny.a -lm -ldl -lpthread -o static || fail "linking the static library"
must [ "$(./static '1 2 3' 6 0 random:3)" = "$want " ]
must [ "$(./static '1 2 3' 6 0 lib/tiny.llmw)" = "$want " ]
cp lib/tiny.llmw static.llmw
must [ "$(./static '1 2 3' 6)" = "$want " ]
cp lib/libtiny.so lib/tiny.llmw static 'two words' # both find what lies beside them
cp shared 'two words/shared'
mkdir 'two words/lib' && mv 'two words/libtiny.so' 'two words/tiny.llmw' 'two words/lib'
must [ "$('two words/shared' '1 2 3' 6)" = "$want " ]
must [ "$(./shared '1 2 3' 6 0)" = "$want " ]
must [ "$(./static '1 2 3' 24 3)" = "$(./tiny --ids-in 1,2,3 -n 24 --ids -q --temp 3 --seed 0 --top-k 0 --top-p 1 --min-p 0.05 | tr , ' ') " ]
# Ids are chosen as by the program with the same options.
$build "$here/library_sample.c" -Llib -ltiny -lm '-Wl,-rpath,$ORIGIN/lib' -o sample || fail "linking the test of sampling"
./sample >chosen.txt || fail "sampling: $(cat chosen.txt)"
all='--top-k 0 --top-p 1 --min-p 0'
{
    first=$(./tiny --ids-in 1,2,3 -n 1 --ids -q --ignore-eos)
    for how in '' "--temp 2 --seed 7 $all" '--temp 2 --seed 7 --top-k 40 --top-p 0.9 --min-p 0.02' \
        "--temp 1 --seed 0 $all --repeat-penalty 1.3 --presence-penalty 0.4 --frequency-penalty 0.2 --repeat-last-n 9" \
        '--repeat-penalty 1.5' "--temp 0.9 --seed 1 $all -l $first-inf -l 7+3"; do
        # shellcheck disable=SC2086
        ./tiny --ids-in 1,2,3 -n 24 --ids -q --ignore-eos $how
    done
} >wanted.txt
diff wanted.txt chosen.txt || fail "the library chooses other ids than the program"
must [ "$(sort -u wanted.txt | wc -l)" = 6 ]
echo '#include "tiny.h"' >header.c
for language in "c -std=c99" "c++"; do
    $cc -x $language -Wall -Wextra -pedantic -Werror -fsyntax-only -Ilib header.c || fail "the header as $language"
done

# What goes wrong is said, and everything is given back (ASan looks).
says 1 'embed: no weights: two words/lib/tiny.llmw: No such file or directory
embed: llmc pack MODEL --into libtiny.so   (MODEL: the Hugging Face folder or GGUF file of tiny)' \
    bash -c 'rm "two words/lib/tiny.llmw"; LD_LIBRARY_PATH="two words/lib" "two words/shared" 1 2>&1 | sed "s|[^ ]*/two words|two words|" >&2; exit ${PIPESTATUS[0]}'
mv static.llmw away.llmw
says 1 'embed: no weights: static.llmw: No such file or directory
embed: libNAME.a was written with NAME.llmw beside it: copy that there, or name it in LlmcOptions.weights' \
    bash -c './static 1 2>&1 | sed "s|[^ ]*/static|static|" >&2; exit ${PIPESTATUS[0]}'
mv away.llmw static.llmw
must [ "$(./shared 1 -1 2>&1)" = '' ]
must [ "$(./shared 1,2 2 2>&1)" = "$(./tiny --ids-in 1 -n 2 --ids -q | tr , ' ') " ]
./shared 999999 2>err.txt >out.txt
must [ $? = 1 ]
must [ "$(cat err.txt)" = 'embed: id 999999 at index 0: the model has ids below 512' ]

# Packed again, proved, made again: the same bytes; what others made is left alone.
says 0 'note: packed random:4 into lib/libtiny.so and lib/tiny.llmw' llmc pack tiny.json --weights random:4 --into lib/libtiny.so
must [ "$(./shared '1 2 3' 6)" = "$(./tiny --weights random:4 --ids-in 1,2,3 -n 6 --ids -q | tr , ' ') " ]
says 2 'lib/libtiny.so: error: --bundle puts weights into a program: those of a library lie beside it [E0200]' \
    llmc pack tiny.json --weights random:4 --into lib/libtiny.so --bundle
says 2 'llmc: error: --bundle puts weights into a program: those of a library lie beside it [E0200]' \
    llmc compile tiny.json --weights random:4 --target cpu --emit=lib --bundle
must [ "$("$llmc" verify lib/libtiny.so 2>&1 >out.txt)" = 'note: lib/libtiny.so is a library: its results were not compared' ]
says 3 'lib/libtiny.a: error: not a program made by llmc: there is no package at its end [E0460]' llmc pack tiny.json --weights random:4 --into lib/libtiny.a
mkdir again
"$llmc" compile tiny.json --target cpu --weights random:4 --emit=lib -o again/tiny -q
for file in libtiny.a libtiny.so tiny.h tiny.llmw; do must cmp lib/$file again/$file; done
"$llmc" compile tiny.json --target cpu --weights random:4 --emit=lib -o again/tiny -q || fail "made again"
echo mine >again/tiny.h
says 2 'again/tiny.h: error: exists and was not made by llmc [E0200]
note: -f replaces it, -o NAME writes elsewhere' llmc compile tiny.json --target cpu --emit=lib -o again/tiny
must [ "$(cat again/tiny.h)" = mine ]
# Program and library together.
mkdir both
"$llmc" compile tiny.json --target cpu --emit=lib,exe --weights random:3 -o both/tiny -q || fail "--emit=lib,exe"
must [ "$(ls both | tr '\n' ' ')" = 'libtiny.a libtiny.so tiny tiny.d tiny.h tiny.llmw ' ]
must [ "$(both/tiny --ids-in 1,2,3 -n 6 --ids -q | tr , ' ')" = "$want" ]
exit $failed
