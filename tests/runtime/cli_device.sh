# cli_device.sh: packages, devices, memory and weights that a program refuses, and what it says.
cp "$stub" bare
want 3 '' 'bare: error: bare: this program has lost its package: nothing stands behind its code [E0460]
note: copy the program again from where it was made, or compile it again; do not strip it' ./bare --info
head -c -100 tiny >cut && chmod +x cut
want 3 '' 'cut: error: cut: this program has lost its package: nothing stands behind its code [E0460]
note: copy the program again from where it was made, or compile it again; do not strip it' ./cut -p x
"$make" "$stub" new new-version
want 3 '' "new: error: new: the package has format version 7, this program's code reads version 6 [E0460]
note: compile the model again with one version of llmc" ./new -p x

# Drivers and devices.
mkdir broken && : >broken/libcuda.so.1
want 5 '' "tiny: error: the NVIDIA driver is not on this machine: broken/libcuda.so.1: file too short [E0500]
note: $cpu" env LD_LIBRARY_PATH="$work/broken" ./tiny -p x
error 5 0500 'the NVIDIA driver finds no GPU' "$cpu" -- env FAKE_CUDA_DEVICES= ./tiny -p x
error 5 0500 'the NVIDIA driver shows no GPU: CUDA_VISIBLE_DEVICES is ""' "$cpu" -- \
    env CUDA_VISIBLE_DEVICES= FAKE_CUDA_DEVICES= ./tiny -p x
error 5 0503 'cuInit failed: error 804, a text of the driver' -- env FAKE_CUDA_FAIL=cuInit:804 ./tiny -p x
error 5 0503 'cuMemAlloc_v2 failed: error 12345, the driver has no text for it' -- \
    env FAKE_CUDA_FAIL=cuMemAlloc_v2:12345 ./tiny -p x
error 5 0503 'cuModuleGetFunction failed: error 500, a text of the driver' \
    'the program'"'"'s code has no kernel "decode"' -- env FAKE_CUDA_FAIL=cuModuleGetFunction:500 ./tiny -p x
error 5 0503 'cuStreamQuery failed: error 700, a text of the driver' -- env FAKE_CUDA_FAIL=cuStreamQuery:700 ./tiny -p x
error 5 0501 'this program was built for sm_86 with 20 SMs; device 0 is NVIDIA Fake 90 (sm_90, 132 SMs)' \
    'rebuild with: llmc compile tiny.json --target sm_90 -o tiny' -- env FAKE_CUDA_DEVICES=90:132 ./tiny -p x
error 5 0501 'this program was built for sm_86 with 20 SMs; device 0 is NVIDIA Fake 90 (sm_90, 132 SMs)' \
    'run on another device: --device 1' -- env FAKE_CUDA_DEVICES=90:132,86:20 ./tiny -p x
error 5 0501 'this program has 4 workers, one for each SM; device 0 is NVIDIA Fake 86 (sm_86, 3 SMs)' \
    'rebuild with: llmc compile tiny.json --target sm_86 --sms 3 -o tiny' -- env FAKE_CUDA_DEVICES=86:3 ./tiny -p x
error 5 0502 'a worker of decode_96 (64 threads, 65,536 bytes of shared memory) does not fit on a multiprocessor of device 0, NVIDIA Fake 86' \
    'rebuild with: llmc compile tiny.json --target sm_86 --threads 32 -o tiny' -- env FAKE_CUDA_OCCUPANCY=0 ./tiny -p x
error 5 0504 'no device "7": there is 1, numbered from 0' 'tiny --list-devices shows index, name and UUID of each' -- ./tiny -p x --device 7
error 5 0504 'no device "4090": there is 1, numbered from 0' 'tiny --list-devices shows index, name and UUID of each' -- ./tiny -p x --device 4090
want 0 '_9A' '' env FAKE_CUDA_DEVICES=90:132,86:20 ./tiny -p abc -n 3 -q --device 1
want 0 '_9A' '' env FAKE_CUDA_DEVICES=90:132,86:20 ./tiny -p abc -n 3 -q -dev 'fake 86'
want 0 '_9A' '' env FAKE_CUDA_DEVICES=90:132,86:20 ./tiny -p abc -n 3 -q --device gpu-01112131
want 0 '_9A' 'note: --device fake 86 is 2 devices here; the first is used: 1, NVIDIA Fake 86 (sm_86, 20 SMs), GPU-01112131-4151-6171-8191-a1b1c1d1e1f1
STATS 3' env FAKE_CUDA_DEVICES=90:132,86:20,86:20 ./tiny -p abc -n 3 --device 'fake 86'
want 0 '_9A' '' env FAKE_CUDA_DEVICES=90:132,86:20,86:20 ./tiny -p abc -n 3 -q --device 'fake 86'
want 0 '_9A' 'llmc: device 0, NVIDIA Fake 86 (sm_86, 20 SMs), GPU-00102030-4050-6070-8090-a0b0c0d0e0f0; driver 13.0
STATS 3' ./tiny -p abc -n 3 -v
want 0 '0: NVIDIA Fake 90 (sm_90, 132 SMs), 8,589,934,592 bytes, GPU-00102030-4050-6070-8090-a0b0c0d0e0f0, PCI 0000:01:00.0
1: NVIDIA Fake 86 (sm_86, 20 SMs), 8,589,934,592 bytes, GPU-01112131-4151-6171-8191-a1b1c1d1e1f1, PCI 0000:02:00.0' '' \
    env FAKE_CUDA_DEVICES=90:132,86:20 ./tiny --list-devices
./tiny --list-devices --json | must "$json" devices

# Memory.
error 6 0601 'needs 134,528 bytes on the GPU, 90,000 are free' 'recompile with --ctx 64, which would fit' -- \
    env FAKE_CUDA_FREE=90000 ./tiny -p x
error 6 0601 'needs 134,528 bytes on the GPU, 900 are free' \
    'no context fits: weights and fixed buffers alone need 51,584 bytes' -- env FAKE_CUDA_FREE=900 ./tiny -p x
error 6 0601 'needs 134,528 bytes on the GPU, 1,073,741,824 are free' -- env FAKE_CUDA_FAIL=cuMemAlloc_v2:2 ./tiny -p x

# Weights and tokenizer.
cp tiny.llmw good.llmw
mv tiny.llmw kept.llmw
error 3 0335 'no weights: tiny.llmw: No such file or directory' "$pack" -- ./tiny -p x
mv kept.llmw tiny.llmw
error 3 0335 'no weights: gone: No such file or directory' "$pack" -- ./tiny -p x --weights gone
want 3 '{"error":{"code":"E0335","message":"no weights: gone: No such file or directory","note":"'"$pack"'"}}' \
    "tiny: error: no weights: gone: No such file or directory [E0335]
note: $pack" ./tiny -p x --weights gone --json
head -c 20000 good.llmw >bad
error 3 0336 'bad is cut off: 20,000 bytes, its header says 53,888' "$pack" -- ./tiny -p x --weights bad
echo 'version https://git-lfs.github.com/spec/v1' >bad
error 3 0336 'bad: not a weights file of llmc' "$pack" -- ./tiny -p x --weights bad
: >bad
error 3 0336 'bad: it is empty or not a file' "$pack" -- ./tiny -p x --weights bad
cp good.llmw bad && printf '\2' | dd of=bad bs=1 seek=8 conv=notrunc status=none
error 3 0336 'bad: format version 2; this program reads version 1' "$pack" -- ./tiny -p x --weights bad
cp good.llmw bad && printf '\2' | dd of=bad bs=1 seek=12 conv=notrunc status=none
error 3 0336 'bad: the sizes in its header do not fit the program' "$pack" -- ./tiny -p x --weights bad
cp good.llmw bad && printf '\0' | dd of=bad bs=1 seek=115 conv=notrunc status=none
error 3 0336 'bad: its sums are damaged: digests differ' "$pack" -- ./tiny -p x --weights bad
cp good.llmw bad && printf 'x' | dd of=bad bs=1 seek=9000 conv=notrunc status=none
error 7 0711 'bad@0x1000: block 0 of 1 is damaged: sums differ' \
    'pack the weights again, or copy the file again from where it was made' -- ./tiny -p x --weights bad
"$make" "$stub" other other-matrices
want 7 '' 'other: error: good.llmw was packed for another program: fingerprint 0000000000002222, this one has 0000000000002223 [E0710]
note: llmc pack MODEL --into other   (MODEL: the Hugging Face folder or GGUF file of tiny)' \
    ./other -p x --weights good.llmw
"$make" "$stub" dumb no-tokenizer
want 3 '' 'dumb: error: this program has no tokenizer: SentencePiece is not in this version [E0335]
note: llmc pack MODEL --into dumb   (MODEL: the Hugging Face folder or GGUF file of tiny)' ./dumb -p x
want 0 '63,25,33' 'note: this program has no tokenizer: ids are printed
STATS 3' ./dumb --weights random:73227 --ids-in 65,66,67 -n 3

# A pipe in the place of the weights does not wait for a writer; a long path is taken whole.
"$make" "$stub" tiny weights=73227
mv tiny.llmw kept
mkfifo tiny.llmw
want 3 '' "tiny: error: tiny.llmw: it is empty or not a file [E0336]
note: $pack" timeout 20 ./tiny -p abc
rm tiny.llmw
mv kept tiny.llmw
printf x >>tiny.llmw
bytes=$(stat -c %s tiny.llmw)
want 3 '' "tiny: error: tiny.llmw is too long: $bytes bytes, its header says $((bytes - 1)) [E0336]
note: $pack" bash -c './tiny -p abc 2>&1 | sed -E "s/([0-9]),([0-9])/\1\2/g" >&2; exit ${PIPESTATUS[0]}'
truncate -s -1 tiny.llmw
long=$(printf 'l%.0s' $(seq 200))
mkdir -p $long/$long/$long
cp tiny tiny.llmw $long/$long/$long/
want 0 '_9A' '' $long/$long/$long/tiny -p abc -n 3 -q
