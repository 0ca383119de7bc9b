"""facts.py FOLDER TARGET.json NAME: what ptxas says of each kernel (FOLDER/report.json) against what the card has at the planned threads.
One kernel runs all schedules. Prints a line; exit code 1 when registers, shared memory, a spill or local memory break the budget."""
import json
import sys

folder, path, name = sys.argv[1:4]
report, plan, target = (json.load(open(p)) for p in (f"{folder}/report.json", f"{folder}/plan.json", path))
facts = {key: fact["value"] for key, fact in target.items() if isinstance(fact, dict)}
kernels = {k["name"]: k for k in report["kernels"]}
k, threads = kernels.get("decode"), plan["schedules"][0]["warps"] * 32
budget = min(255, facts["regs_per_sm"] // threads // 8 * 8)
if not k:
    print(f"{name:14} FAILED: ptxas says nothing of the kernel")
    sys.exit(1)
smem = k["static_smem_bytes"] + report["dynamic_smem_bytes"]
fits = k["registers"] <= budget and smem <= facts["smem_block_bytes"] and not k["spill_bytes"] and not k["stack_bytes"]
print(f"{name:14} {threads:5} threads {k['registers']:4} of {budget:3} registers {k['spill_bytes']:3} bytes spilled "
      f"{k['stack_bytes']:3} bytes local {smem:7,} of {facts['smem_block_bytes']:7,} bytes shared  {'ok' if fits else 'FAILED'}")
failed = not fits
failed |= any(k["spill_bytes"] or k["stack_bytes"] for k in report["kernels"])
sys.exit(failed)
