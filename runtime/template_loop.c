// template_loop.c: a for loop while it runs: its items, its filter, and what `loop` knows.
#include "template_vm.h"

TplLoop *tpl_loop(Tpl *t, TplValue over, TplFrame *frame, uint32_t filter)
{
    TplLoop *loop = tpl_alloc(t, sizeof *loop);
    loop->cursor = tpl_walk(t, over);
    loop->frame = frame;
    loop->filter = filter;
    loop->index0 = -1;
    loop->length = -1;
    return loop;
}

static bool passes(Tpl *t, const TplLoop *loop, TplValue item)
{
    TplFrame *frame = tpl_frame(t, loop->filter - 1, loop->frame);
    if (t->functions[frame->function].slots < 1)
        tpl_fail(t, "a loop's filter without a parameter");
    frame->slots[0] = item;
    return tpl_truth(tpl_run(t, frame));
}

// The next item that passes. Asked for only when it is needed: a filter may look at what the body has changed.
static bool take(Tpl *t, TplLoop *loop, TplValue *item)
{
    while (tpl_next(t, &loop->cursor, item))
        if (!loop->filter || passes(t, loop, *item))
            return true;
    return false;
}

static TplValue peek(Tpl *t, TplLoop *loop)
{
    if (loop->after.type == TPL_ABSENT && !take(t, loop, &loop->after))
        loop->after = (TplValue){ .type = TPL_ABSENT };
    return loop->after;
}

bool tpl_loop_next(Tpl *t, TplLoop *loop, TplValue *item)
{
    if (loop->after.type != TPL_ABSENT) {
        *item = loop->after;
        loop->after = (TplValue){ .type = TPL_ABSENT };
    } else if (!take(t, loop, item)) {
        return false;
    }
    ++loop->index0;
    loop->before = loop->current;
    loop->current = *item;
    return true;
}

// Of what has no length of its own, all that is left is taken and kept.
int64_t tpl_loop_length(Tpl *t, TplLoop *loop)
{
    if (loop->length >= 0)
        return loop->length;
    if (!loop->filter && loop->cursor.over.type != TPL_ITERATOR)
        return loop->length = tpl_length(t, loop->cursor.over);
    uint32_t n = 0, cap = 16;
    TplValue *at = tpl_alloc(t, cap * sizeof *at), item;
    while (take(t, loop, &item)) {
        if (n == cap) {
            TplValue *more = tpl_alloc(t, (size_t)cap * 2 * sizeof *at);
            for (uint32_t i = 0; i < n; ++i)
                more[i] = at[i];
            at = more;
            cap *= 2;
        }
        at[n++] = item;
    }
    const TplValue rest = tpl_list(t, 0, TPL_LIST);
    *rest.list = (TplList){ at, n };
    loop->cursor = tpl_walk(t, rest);
    loop->filter = 0;
    return loop->length = (int64_t)n + loop->index0 + 1 + (loop->after.type != TPL_ABSENT);
}

TplValue tpl_loop_attribute(Tpl *t, TplLoop *loop, const TplText *name)
{
    if (tpl_text_is(name, "index"))
        return tpl_int(loop->index0 + 1);
    if (tpl_text_is(name, "index0"))
        return tpl_int(loop->index0);
    if (tpl_text_is(name, "first"))
        return tpl_bool(loop->index0 == 0);
    if (tpl_text_is(name, "last"))
        return tpl_bool(peek(t, loop).type == TPL_ABSENT);
    if (tpl_text_is(name, "length"))
        return tpl_int(tpl_loop_length(t, loop));
    if (tpl_text_is(name, "revindex"))
        return tpl_int(tpl_loop_length(t, loop) - loop->index0);
    if (tpl_text_is(name, "revindex0"))
        return tpl_int(tpl_loop_length(t, loop) - loop->index0 - 1);
    if (tpl_text_is(name, "depth"))
        return tpl_int(1);
    if (tpl_text_is(name, "depth0"))
        return tpl_int(0);
    if (tpl_text_is(name, "previtem"))
        return loop->index0 > 0 ? loop->before : tpl_undefined(t, "there is no previous item");
    if (tpl_text_is(name, "nextitem")) {
        const TplValue next = peek(t, loop);
        return next.type != TPL_ABSENT ? next : tpl_undefined(t, "there is no next item");
    }
    return (TplValue){ .type = TPL_ABSENT };
}
