"""attention.py: one query a head against a K/V cache, split over the context, in Triton: for peers.py on a GPU.

Without a split one block a K/V head would read the whole context: PyTorch's own choices are slower by 0.1 to 0.2 ms a token at a
context of 1,024 (H200, Llama-3.2-1B shape), and the peer is to be as good as it can be made in this style."""
import torch

try:
    import triton
    import triton.language as tl
except ImportError:  # fits() says no
    triton = None

PARTS, TILE, QUERIES = 16, 64, 16  # parts of a context; positions a step; rows of a tile of queries, of which a group fills some


def fits(head_dim):
    return triton is not None and head_dim >= 16 and head_dim & (head_dim - 1) == 0


if triton is not None:

    @triton.jit
    def part_kernel(q, k, v, position, out, sums, positions, SCALE: tl.constexpr, PARTS: tl.constexpr, TILE: tl.constexpr, DIM: tl.constexpr,
                    GROUP: tl.constexpr, QUERIES: tl.constexpr):
        """Softmax over one part of the context, not yet divided: out[head, part, query, dim], sums[.., 2] = maximum and sum."""
        head, part = tl.program_id(0), tl.program_id(1)
        seen = tl.load(position).to(tl.int32) + 1
        share = tl.cdiv(tl.cdiv(seen, PARTS), TILE) * TILE
        first = part * share
        last = tl.minimum(first + share, seen)
        rows, dims, places = tl.arange(0, QUERIES), tl.arange(0, DIM), tl.arange(0, TILE)
        queries = tl.load(q + (head * GROUP + rows)[:, None] * DIM + dims[None, :], mask=(rows < GROUP)[:, None], other=0.0)
        most = tl.full([QUERIES], -1e30, tl.float32)
        total = tl.zeros([QUERIES], tl.float32)
        acc = tl.zeros([QUERIES, DIM], tl.float32)
        base = head * positions * DIM
        for at in range(first, last, TILE):
            inside = (at + places) < last
            cells = base + (at + places)[:, None] * DIM + dims[None, :]
            keys = tl.load(k + cells, mask=inside[:, None], other=0.0)
            score = tl.dot(queries, tl.trans(keys)) * SCALE
            score = tl.where(inside[None, :], score, -1e30)
            higher = tl.maximum(most, tl.max(score, 1))
            weight = tl.where(inside[None, :], tl.exp(score - higher[:, None]), 0.0)
            older = tl.exp(most - higher)
            values = tl.load(v + cells, mask=inside[:, None], other=0.0)
            total = total * older + tl.sum(weight, 1)
            acc = acc * older[:, None] + tl.dot(weight.to(values.dtype), values)
            most = higher
        row = (head * PARTS + part) * GROUP + rows
        tl.store(out + row[:, None] * DIM + dims[None, :], acc, mask=(rows < GROUP)[:, None])
        tl.store(sums + row * 2, most, mask=rows < GROUP)
        tl.store(sums + row * 2 + 1, total, mask=rows < GROUP)

    @triton.jit
    def join_kernel(parts, sums, out, PARTS: tl.constexpr, DIM: tl.constexpr, GROUP: tl.constexpr):
        query = tl.program_id(0)
        rows = (query // GROUP * PARTS + tl.arange(0, PARTS)) * GROUP + query % GROUP
        dims = tl.arange(0, DIM)
        most = tl.load(sums + rows * 2)
        weight = tl.exp(most - tl.max(most, 0))
        total = tl.sum(weight * tl.load(sums + rows * 2 + 1), 0)
        value = tl.sum(tl.load(parts + rows[:, None] * DIM + dims[None, :]) * weight[:, None], 0) / total
        tl.store(out + query * DIM + dims, value.to(out.dtype.element_ty))


def attend(q, k, v, position):
    """q [heads, dim], k and v [kv_heads, positions, dim], position [1]: the last one attended. Gives [heads, dim]."""
    (heads, dim), (kv_heads, positions, _) = q.shape, k.shape
    group = heads // kv_heads
    parts = torch.empty(kv_heads * PARTS * group, dim, device=q.device, dtype=torch.float32)
    sums = torch.empty(kv_heads * PARTS * group, 2, device=q.device, dtype=torch.float32)
    out = torch.empty(heads, dim, device=q.device, dtype=q.dtype)
    queries = QUERIES if group <= QUERIES else triton.next_power_of_2(group)
    part_kernel[(kv_heads, PARTS)](q, k, v, position, parts, sums, positions, SCALE=dim ** -0.5, PARTS=PARTS, TILE=TILE, DIM=dim,
                                   GROUP=group, QUERIES=queries, num_warps=4)
    join_kernel[(heads,)](parts, sums, out, PARTS=PARTS, DIM=dim, GROUP=group, num_warps=2)
    return out
