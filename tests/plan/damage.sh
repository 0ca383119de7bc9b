#!/bin/bash
# damage.sh LLMC DAMAGE MODELS SEEDS [JOBS]: a damaged plan is either refused (3), or breaks a rule (7), or is harmless: it
# compiles, makes the ids of the whole plan and passes --verify at contexts of both schedules. Every kind of damage.c, SEEDS
# seeds each. (A matrix in another format has other numbers: there --verify decides.) A text that was compiled before is not compiled again: CXX names a wrapper that keeps shared objects.
llmc=$1 damage=$2 models=$3 seeds=$4 jobs=${5:-2}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir kept result
export WORK=$work LLMC=$llmc DAMAGE=$damage KEPT_CXX=${CXX:-g++} LLMC_ARG_NO_WARN=,balance, LLMC_ARG_QUIET=1

# The compiler: shared objects are kept by the text they are made of.
cat >cxx <<'WRAPPER'
#!/bin/bash
case $* in *-dump*) exec $KEPT_CXX "$@" ;; esac
words=() out='' text=''
while [ $# -gt 0 ]; do
    case $1 in
    -o) out=$2; shift 2; continue ;;
    -O2) words+=(-O0) ;; # the bits are the same, and it is compiled in a fifth of the time
    *.cu) text=$1; words+=("$1") ;;
    *) words+=("$1") ;;
    esac
    shift
done
kept=$WORK/kept/$(sha256sum <"$text" | cut -c1-32).so
[ -f "$kept" ] || { $KEPT_CXX -o "$kept.$$" "${words[@]}" && mv "$kept.$$" "$kept"; } || exit 1
cp "$kept" "$out"
WRAPPER
chmod +x cxx
export CXX=$work/cxx

# run PROGRAM: what it makes of the same ids; then --verify at a short and a long context.
run() {
    ./"$1" --weights random:1 --ids-in 1,5,9 -n 12 --ids --ignore-eos 2>&1 || return 1
    ./"$1" --weights random:1 --verify 2 --ctx 3,390 >"$1.verify" 2>&1 || { cat "$1.verify"; return 1; }
}

# try KIND SEED: one line of result.
try() {
    cd "$WORK" || exit 1
    local name=$1-$2 code
    "$DAMAGE" base.json "$1" "$2" >"$name.json" || { echo "failed: no damage $name" >"result/$name"; return; }
    cmp -s base.json "$name.json" && { echo unchanged >"result/$name"; return; }
    "$LLMC" verify "$name.json" >"$name.said" 2>&1
    code=$?
    case $code in
    3) echo "refused" >"result/$name" ;;
    7) grep -oE 'rule [0-9]+:' "$name.said" | sort -u | tr -d '\n' >"result/$name" ;;
    0)
        if ! "$LLMC" compile --plan "$name.json" -o "$name" >"$name.said" 2>&1; then
            { echo "failed: $name is accepted but does not compile"; cat "$name.said"; } >"result/$name"
        elif ! run "$name" >"$name.ids"; then
            { echo "failed: $name is accepted but goes wrong"; tail -5 "$name.ids"; } >"result/$name"
        elif [ "$1" != matrix-format ] && ! cmp -s base.ids "$name.ids"; then
            { echo "failed: $name is accepted but makes other ids"; cat "$name.ids"; } >"result/$name"
        else
            echo "harmless" >"result/$name"
        fi
        rm -rf "$name.d" "$name" ;;
    *) { echo "failed: verify ends with $code for $name"; cat "$name.said"; } >"result/$name" ;;
    esac
    grep -q ^failed: "result/$name" && diff base.json "$name.json" >>"result/$name"
}
export -f run try

"$llmc" plan "$models/tiny.json" --target cpu --json >base.json && "$llmc" compile --plan base.json -o base && run base >base.ids ||
    { echo "failed: the whole plan does not run"; cat base.ids; exit 1; }
for kind in $("$damage" kinds); do
    for seed in $(seq "$seeds"); do
        echo "$kind $seed"
    done
done | xargs -P "$jobs" -n 2 bash -c 'try "$0" "$1"'
refused=$(grep -l refused result/* | wc -l) rules=$(grep -l '^rule' result/* | wc -l) harmless=$(grep -l harmless result/* | wc -l)
echo "$refused refused, $rules break a rule, $harmless harmless, $(ls kept | wc -l) texts compiled"
grep -l harmless result/* | sed 's/.*\///; s/-[0-9]*$//' | sort | uniq -c | sed 's/^/harmless: /'
sed 's/rule //g' result/* | tr ':' '\n' | grep -xE '[0-9]+' | sort -n | uniq -c | sed 's/^/rule: /'
[ "$refused" -gt 0 ] && [ "$rules" -gt 0 ] && [ "$harmless" -gt 0 ] || { echo "failed: one of the three never happens"; exit 1; }
! cat result/* | grep -A30 ^failed:
