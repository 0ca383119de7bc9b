# cli_bundle.sh: weights inside the program, also behind 4 GiB; licence files.
ids=63,25,33,69,71,12,83,54,55,14,90,82,63,23,5
"$make" "$stub" one bundle=73227 license
want 0 $ids 'STATS 3' ./one -p abc --ids
./one --info >out.txt
says '^weights +in the program: [0-9,]+ bytes, from seed$' out.txt
./one --info --json >out.txt
says '"weights":\{"present":true,"matches":true,"path":"[^"]*/one","text":"in the program: ' out.txt
must "$json" weights license <out.txt
./one --self-check >out.txt
says '^ok    weights ' out.txt
# A file beside it is not read, one that is named is.
cp tiny.llmw one.llmw
printf x >>one.llmw
want 0 $ids 'STATS 3' ./one -p abc --ids
./one -p abc --weights one.llmw 2>err.txt
must test $? = 3
says 'one.llmw is too long' err.txt
want 0 '30,18,63' 'STATS 3' ./one -p abc --ids -n 3 --weights random:8
# Nothing of it is written over.
want 2 '' 'one: error: --logits one: this file is read here, it is not replaced [E0200]' ./one -p abc --logits one
want 0 $ids 'STATS 3' ./one -p abc --ids

# A block that is damaged is found before a token is made; a program that was cut off has lost its package.
cp one hurt
at=$(($(grep -abo LLMCWTS one | tail -1 | cut -d: -f1) + 4096 + 1000))
printf '\xff' | dd of=hurt bs=1 seek=$at conv=notrunc status=none
./hurt -p abc >out.txt 2>err.txt
must test $? = 7 -a ! -s out.txt
says 'hurt@0x[0-9a-f]+: block 0 of 1 is damaged: sums differ \[E0711\]' err.txt
head -c -5000 one >cut && chmod +x cut
want 3 '' 'cut: error: cut: this program has lost its package: nothing stands behind its code [E0460]
note: copy the program again from where it was made, or compile it again; do not strip it' ./cut -p x
"$make" "$stub" wrong bundle=73227 bad-weights
error_text=$(./wrong -p x 2>&1 >/dev/null)
case $error_text in *'was packed for another program'*'[E0710]'*) ;; *) echo "failed: wrong: $error_text"; failed=1 ;; esac

# Behind 4 GiB: the file has holes, so it takes no room.
"$make" "$stub" far bundle=73227 far 2>err.txt
if [ "$(stat -c %s far 2>/dev/null || echo 0)" -gt $((5 << 30)) ] && [ "$(stat -c %b far)" -lt 100000 ]; then
    want 0 $ids 'STATS 3' ./far -p abc --ids
    ./far --info >out.txt
    says '^weights +in the program: ' out.txt
else
    echo "skipped: a program of 5 GiB (this file system keeps no holes): $(cat err.txt)"
fi
rm -f far

# Licences.
want 0 '==== LICENSE ====
Do what you like.' '' ./one --license
want 0 '==== LICENSE ====
Do what you like.' '' ./one --licence
want 0 '' 'note: the model came with no licence file' ./tiny --license
error 2 0200 '--info and --license are two things to do: give one of them' -- ./tiny --license --info
