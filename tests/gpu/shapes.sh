# shapes.sh: other shapes: MHA, widths that divide badly, heads of 128, and models up to 8B.
model mha.json 512 8 8 64 1536 4 3000 true 8192
model hidden-576.json 576 9 3 64 1536 6 49152 true 8192
model heads-128.json 1024 8 2 128 2816 4 32000 false 8192
model hidden-896.json 896 14 2 64 4864 24 151936 true 8192
for name in mha hidden-576 heads-128 hidden-896; do
    make "$name" "$name.json" && check "$name" 3 1,130,2000 "$name"
    make "$name" "$name.json" --sync barrier && check "$name" 2 1,2000 "$name --sync barrier"
done
for name in tinyllama-1.1b llama-3.2-3b llama-3.1-8b llama-2-7b; do
    [ -z "$quick" ] || continue
    make "$name" "$models/$name.json" && check "$name" 2 1,2048 "$name"
done
