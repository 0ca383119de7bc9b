# verify.sh: the shape of Llama 3.2 1B against the reference at contexts with one part, with several, and at their borders.
contexts=1,100,385,4096,32768
[ -z "$quick" ] || contexts=1,100,385
if make 1b "$main"; then
    check 1b 4 $contexts "llama-3.2-1b"
    borders=$(./1b --plan | grep -o '"contexts": \[[0-9]*' | grep -o '[0-9]*$' | awk '$1 > 2 && $1 < 40000 { printf "%s%d", n++ ? "," : "", $1 + 1 }')
    [ -z "$borders" ] || check 1b 4 "$borders" "llama-3.2-1b across borders"
fi
if make barrier "$main" --sync barrier; then check barrier 4 $contexts "llama-3.2-1b --sync barrier"; fi
if make bf16 "$main" --kv-type bf16; then check bf16 4 1,100,385 "llama-3.2-1b --kv-type bf16"; fi
