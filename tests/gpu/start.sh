# start.sh: the rate of packing, and the time from a program's start to its first id with weights from a file, beside what the driver
# and the copy took of it. Printed, not judged. Needs 8 GB of disk.
python3 - "$main" <<'PY'
import json, os, struct, sys
c = json.load(open(sys.argv[1]))
os.makedirs("folder", exist_ok=True)
json.dump(c, open("folder/config.json", "w"))
hidden, heads, kv = c["hidden_size"], c["num_attention_heads"], c["num_key_value_heads"]
dim, ffn, vocab = c.get("head_dim", hidden // heads), c["intermediate_size"], c["vocab_size"]
shapes = {"model.embed_tokens.weight": [vocab, hidden], "model.norm.weight": [hidden]}
if not c.get("tie_word_embeddings"):
    shapes["lm_head.weight"] = [vocab, hidden]
for i in range(c["num_hidden_layers"]):
    for name, shape in {"input_layernorm": [hidden], "post_attention_layernorm": [hidden], "self_attn.q_proj": [heads * dim, hidden],
                        "self_attn.k_proj": [kv * dim, hidden], "self_attn.v_proj": [kv * dim, hidden], "self_attn.o_proj": [hidden, heads * dim],
                        "mlp.gate_proj": [ffn, hidden], "mlp.up_proj": [ffn, hidden], "mlp.down_proj": [hidden, ffn]}.items():
        shapes[f"model.layers.{i}.{name}.weight"] = shape
header, at = {}, 0
for name, shape in shapes.items():
    size = 2
    for n in shape:
        size *= n
    header[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [at, at + size]}
    at += size
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
block = b"".join(bytes([(k * 167 + 13) % 256, (0x3c, 0xbc)[k * 7 % 5 % 2]]) for k in range(1 << 19))  # numbers from 0.008 to 0.03 of both signs
with open("folder/model.safetensors", "wb") as f:
    f.write(struct.pack("<Q", len(text)) + text)
    left = at
    while left > 0:
        f.write(block[:min(left, len(block))])
        left -= len(block)
PY
sync
before=$(date +%s.%N)
if "$llmc" compile folder --target "$target" --arch "$arch" -o started -q -f >log 2>&1; then
    middle=$(date +%s.%N)
    "$llmc" pack folder --into started -q >log 2>&1 || bad pack "$(head -2 log)"
    python3 - "$before" "$middle" "$(date +%s.%N)" <<'PY'
import json, os, subprocess, sys, time
before, middle, end = map(float, sys.argv[1:])
size = os.path.getsize("folder/model.safetensors")
print(f"        compile with weights {middle - before:.2f} s; pack alone {end - middle:.2f} s: {size / (end - middle) / 1e9:.2f} GB/s of {size / 1e9:.2f} GB, on {os.cpu_count()} cores")
rows = []
for _ in range(6):
    begin = time.monotonic()
    p = subprocess.Popen(["./started", "--ids-in", "1,2,3", "-n", "2", "--ignore-eos", "--ids"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    p.stdout.read(1)
    first = time.monotonic() - begin
    said = p.communicate()[1].decode()
    rows.append((first, time.monotonic() - begin, said.strip().splitlines()[-1]))
for first, whole, said in sorted(rows[1:]):
    print(f"        first id after {first:.3f} s, ended after {whole:.3f} s: {said[:110]}")
PY
    good start "timed"
else
    bad start "$(head -3 log)"
fi
