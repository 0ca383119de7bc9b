"""attention_check.py: examples/bench/attention.py equals PyTorch's attention: groups of one and of many heads, contexts from one position on."""
import torch
import torch.nn.functional as F

import attention

torch.manual_seed(1)
for heads, kv_heads, dim, last in [(32, 8, 64, 0), (32, 8, 64, 777), (8, 8, 128, 63), (4, 2, 32, 511), (24, 1, 64, 300)]:
    q, k, v = torch.randn(heads, dim), torch.randn(kv_heads, 1024, dim), torch.randn(kv_heads, 1024, dim)
    got = attention.attend(q, k, v, torch.tensor([last]))
    seen = (torch.arange(1024) <= last).view(1, 1, 1, -1)
    want = F.scaled_dot_product_attention(q.view(1, heads, 1, dim), k[None], v[None], attn_mask=seen, enable_gqa=True)
    error = (got - want.view(heads, dim)).abs().max().item()
    if not error < 1e-5:
        raise SystemExit(f"{heads} heads, {kv_heads} K/V heads of {dim}, {last + 1} positions: error {error}")
