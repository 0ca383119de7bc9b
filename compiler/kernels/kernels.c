// kernels.c: the list of kernels, and the small things they share.
#include "kernel.h"

const KernelKind *const kernel_kinds[] = {
    &kernel_split_embed, &kernel_split_gemv, &kernel_split_gated, &kernel_split_attend, &kernel_split_select,
    &kernel_embed,       &kernel_gemv_rows,  &kernel_attend,      &kernel_ffn_lanes,    &kernel_reduce,       &kernel_select,
};
const int kernel_kinds_n = ARRAY_LEN(kernel_kinds);

void smem_add(Smem *s, const char *name, int bytes)
{
    SmemPiece *piece = &s->piece[s->n++];
    *piece = (SmemPiece){ name, s->bytes, (bytes + 15) / 16 * 16 };
    s->bytes += piece->bytes;
}

int smem_at(const Smem *s, const char *name)
{
    for (int i = 0; i < s->n; ++i)
        if (str_equal(s->piece[i].name, name))
            return s->piece[i].at;
    return -1;
}

static Param *add(Params *p, const char *name, ParamKind kind)
{
    const Param param = { .name = name, .kind = kind };
    vec_push(p->arena, &p->list, param);
    return &p->list.at[p->list.n - 1];
}

void param_int(Params *p, const char *name, int64_t i)
{
    add(p, name, PARAM_INT)->i = i;
}

void param_bool(Params *p, const char *name, bool b)
{
    add(p, name, PARAM_BOOL)->i = b;
}

void param_string(Params *p, const char *name, const char *s)
{
    add(p, name, PARAM_STRING)->s = s;
}

void param_float(Params *p, const char *name, double f)
{
    add(p, name, PARAM_FLOAT)->f = f;
}

const KernelKind *kernel_by_name(const char *name)
{
    for (int i = 0; i < kernel_kinds_n; ++i)
        if (str_equal(kernel_kinds[i]->name, name))
            return kernel_kinds[i];
    return NULL;
}

const KernelKind *kernel_fitting(const Op *op, const Graph *g, const Target *t, const Choice *c, const char **why_not)
{
    Str reasons = str_new(g->arena);
    for (int i = 0; i < kernel_kinds_n; ++i) {
        const char *reason = "it does another operation";
        if (kernel_kinds[i]->op == op->kind && kernel_kinds[i]->fits(op, g, t, c, &reason))
            return kernel_kinds[i];
        if (kernel_kinds[i]->op == op->kind)
            str_add(&reasons, "%skernel %s: %s", reasons.bytes ? "; " : "", kernel_kinds[i]->name, reason);
    }
    *why_not = reasons.bytes ? reasons.text : "none does this operation";
    return NULL;
}

const KernelKind *kernel_find(const Op *op, const Graph *g, const Target *t, const Choice *c)
{
    const char *why_not;
    const KernelKind *kind = kernel_fitting(op, g, t, c, &why_not);
    if (kind)
        return kind;
    const char *name = op_info(op->kind).name;
    error_at(g->model->at, ERR_PLAN_KERNEL, "no kernel of this version can do %s%s on %s: %s", op->what,
             str_equal(op->what, name) ? "" : str_format(g->arena, " (%s)", name), t->name, why_not);
}

static const char *const layouts[] = { "rows", "lanes", "fragments" };
static const char *const syncs[] = { "barrier", "packets" };
static const char *const feeds[] = { "plain", "async", "bulk" };
static const char *const kvs[] = { "f16", "bf16", "f32" };

static int find(const char *const *names, int n, const char *name)
{
    for (int i = 0; i < n; ++i)
        if (str_equal(names[i], name))
            return i;
    return -1;
}

const char *layout_name(Layout l)
{
    return layouts[l];
}

const char *sync_name(Sync s)
{
    return syncs[s];
}

const char *feed_name(Feed f)
{
    return feeds[f];
}

const char *kv_name(KvType k)
{
    return kvs[k];
}

int kv_bytes(KvType k)
{
    return k == KV_F32 ? 4 : 2;
}

int layout_find(const char *name)
{
    return find(layouts, ARRAY_LEN(layouts), name);
}

int sync_find(const char *name)
{
    return find(syncs, ARRAY_LEN(syncs), name);
}

int feed_find(const char *name)
{
    return find(feeds, ARRAY_LEN(feeds), name);
}

int kv_find(const char *name)
{
    return find(kvs, ARRAY_LEN(kvs), name);
}
