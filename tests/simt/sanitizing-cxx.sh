#!/bin/bash
# sanitizing-cxx.sh: a C++ compiler for build_cpu ($CXX) that race-checks: rendered text is compiled under TSan, the
# shim without. The compiler proper is $SIMT_CXX. Only a process that was linked with -fsanitize=thread can load the
# result.
set -e
cxx=${SIMT_CXX:-g++}
case $* in
-dump*) exec "$cxx" "$@" ;;
esac
options=() sources=() libraries=() text='' header='' out=''
while [ $# -gt 0 ]; do
    case $1 in
    -include) header=$2 && shift ;;
    -o) out=$2 && shift ;;
    -x) shift ;;
    *.cu) text=$1 ;;
    *.cpp) sources+=("$1") ;;
    -l*) libraries+=("$1") ;;
    -shared | -nodefaultlibs | -Wl,*) ;;
    *) options+=("$1") ;;
    esac
    shift
done
objects=()
for source in "${sources[@]}"; do
    object=$SIMT_OBJECTS/$(basename "$source").o
    [ -f "$object" ] || "$cxx" "${options[@]}" -DSIMT_TSAN -c "$source" -o "$object"
    objects+=("$object")
done
# At -O0 g++ does not check the store of what a call returns, as in xs[i] = make_float4(..).
"$cxx" "${options[@]}" -O1 -g -DSIMT_TSAN -fsanitize=thread -include "$header" -x c++ -c "$text" -o "$text.o"
"$cxx" -shared -fsanitize=thread "$text.o" "${objects[@]}" -o "$out" "${libraries[@]}"
rm -f "$text.o"
