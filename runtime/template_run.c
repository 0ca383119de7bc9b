// template_run.c: runs the bytecode of a chat template.
//
// The bytecode is not trusted: each operand is checked where it is used, so that damaged code fails or gives a wrong text
// but never leaves its bounds.
#include "template_vm.h"

#include <string.h>

// One activation of a function.
typedef struct Run {
    Tpl *t;
    TplFrame *frame;
    uint32_t at, end; // in the code
    TplValue *stack;
    uint32_t height, room;
    TplLoop *loop;     // innermost
    uint32_t captures; // begun and not ended
} Run;

// ---- operands and stack -------------------------------------------------------------------------------------------

static uint64_t number(Run *r)
{
    uint64_t n = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        if (r->at >= r->end)
            tpl_fail(r->t, "the code ends in an operand");
        const uint8_t byte = r->t->code[r->at++];
        n |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return n;
    }
    tpl_fail(r->t, "an operand without an end");
}

static uint32_t small(Run *r)
{
    const uint64_t n = number(r);
    if (n > UINT32_MAX)
        tpl_fail(r->t, "an operand is too large");
    return (uint32_t)n;
}

static void push(Run *r, TplValue v)
{
    if (r->height == r->room) {
        if (r->room >= TPL_STACK)
            tpl_fail(r->t, "more than %d values at once", TPL_STACK);
        TplValue *more = tpl_alloc(r->t, (size_t)r->room * 4 * sizeof *more);
        memcpy(more, r->stack, r->height * sizeof *more);
        r->stack = more;
        r->room *= 4;
    }
    r->stack[r->height++] = v;
}

// The topmost n values, taken off the stack; they stay readable until the next push.
static TplValue *take(Run *r, uint64_t n)
{
    if (n > r->height)
        tpl_fail(r->t, "the code takes more values than there are");
    r->height -= (uint32_t)n;
    return r->stack + r->height;
}

static TplValue pop(Run *r)
{
    return *take(r, 1);
}

static TplValue *slot(Run *r, const TplFrame *frame)
{
    const uint32_t n = small(r);
    if (n >= r->t->functions[frame->function].slots)
        tpl_fail(r->t, "slot %u of a function that has fewer", n);
    return &frame->slots[n];
}

static const TplFrame *outer_frame(Run *r)
{
    const TplFrame *frame = r->frame;
    for (uint32_t n = small(r); n; --n) {
        frame = frame->outer;
        if (!frame)
            tpl_fail(r->t, "a function further out than there is");
    }
    return frame;
}

static void jump(Run *r, uint32_t to)
{
    const PkgFunction *f = &r->t->functions[r->frame->function];
    if (to > f->code_bytes)
        tpl_fail(r->t, "a jump out of the code");
    r->at = f->code + to;
}

// ---- steps --------------------------------------------------------------------------------------------------------

static void unpack(Run *r, uint32_t n)
{
    const TplValue items = tpl_items(r->t, pop(r));
    if (items.list->n != n)
        tpl_fail(r->t, "%u values are unpacked into %u names", items.list->n, n);
    for (uint32_t i = n; i-- > 0;)
        push(r, items.list->at[i]);
}

static void collect(Run *r, uint32_t n, TplType type)
{
    const TplValue *from = take(r, n);
    const TplValue v = tpl_list(r->t, n, type);
    if (n)
        memcpy(v.list->at, from, n * sizeof *from);
    push(r, v);
}

static void collect_dict(Run *r, uint32_t n)
{
    const TplValue *from = take(r, 2 * (uint64_t)n);
    TplDict *d = tpl_dict_new(r->t, n);
    for (uint32_t i = 0; i < n; ++i)
        tpl_dict_set(r->t, d, from[2 * i], from[2 * i + 1]);
    push(r, (TplValue){ .type = TPL_DICT, .dict = d });
}

// What comes first grows by the others where it can (tpl_joined).
static void concat(Run *r, uint32_t n)
{
    const TplValue *from = take(r, n);
    TplValue all = n ? tpl_str(r->t, from[0]) : tpl_string(r->t, "");
    for (uint32_t i = 1; i < n; ++i)
        all = tpl_joined(r->t, all.text, tpl_str(r->t, from[i]).text);
    if (all.text->markup)
        all = tpl_string_bytes(r->t, all.text->at, all.text->bytes, all.text->marks);
    push(r, all);
}

static void set_attribute(Run *r, const TplText *name)
{
    const TplValue *both = take(r, 2);
    if (both[1].type != TPL_NAMESPACE)
        tpl_fail(r->t, "an attribute of a %s is set: only a namespace's can be", tpl_type_name(both[1]));
    tpl_dict_set(r->t, both[1].dict, (TplValue){ .type = TPL_STRING, .text = (TplText *)name }, both[0]);
}

static void begin_loop(Run *r, uint32_t filter)
{
    TplLoop *loop = tpl_loop(r->t, pop(r), r->frame, filter);
    loop->outer = r->loop;
    r->loop = loop;
}

static TplLoop *want_loop(Run *r)
{
    if (!r->loop)
        tpl_fail(r->t, "there is no loop");
    return r->loop;
}

static void next(Run *r, uint32_t behind)
{
    TplValue item;
    if (tpl_loop_next(r->t, want_loop(r), &item)) {
        push(r, item);
        return;
    }
    r->loop = r->loop->outer;
    jump(r, behind);
}

static void capture(Run *r)
{
    TplBuffer *b = tpl_buffer(r->t, 128);
    b->outer = r->t->out;
    r->t->out = b;
    ++r->captures;
}

static void captured(Run *r)
{
    TplBuffer *b = r->t->out;
    if (!r->captures)
        tpl_fail(r->t, "no output was kept");
    r->t->out = b->outer;
    --r->captures;
    push(r, tpl_text_of(r->t, b));
}

static TplValue macro(Run *r, uint32_t function)
{
    if (function >= r->t->head->functions || r->t->functions[function].outer != r->frame->function)
        tpl_fail(r->t, "function %u does not stand here", function);
    TplMacro *m = tpl_alloc(r->t, sizeof *m);
    *m = (TplMacro){ r->frame, function };
    return (TplValue){ .type = TPL_MACRO, .macro = m };
}

static uint32_t want_filter(Run *r, uint32_t function)
{
    const Tpl *t = r->t;
    if (function >= t->head->functions || t->functions[function].outer != r->frame->function)
        tpl_fail(r->t, "function %u does not stand here", function);
    return function + 1;
}

static void call(Run *r)
{
    const uint32_t n = small(r), pairs = small(r);
    const TplValue *all = take(r, (uint64_t)n + 2 * (uint64_t)pairs + 1);
    push(r, tpl_call(r->t, all[0], all + 1, n, pairs));
}

static void filter_or_test(Run *r, bool test)
{
    const uint32_t which = small(r), n = small(r);
    const TplValue *all = take(r, (uint64_t)n + 1);
    push(r, test ? tpl_bool(tpl_test(r->t, which, all[0], all + 1, n)) : tpl_filter(r->t, which, all[0], all + 1, n));
}

static void slice(Run *r)
{
    const TplValue *all = take(r, 4);
    push(r, tpl_slice(r->t, all[0], all[1], all[2], all[3]));
}

static void global(Run *r, bool raw)
{
    TplText *name = tpl_const(r->t, small(r));
    const TplValue v = tpl_global(r->t, name);
    push(r, v.type == TPL_ABSENT && !raw ? tpl_undefined_name(r->t, name) : v);
}

static void constant(Run *r, enum TemplateOp op)
{
    TplText *text;
    double real;
    uint64_t n;
    switch (op) {
    case TOP_INT:
        n = number(r);
        push(r, tpl_int((int64_t)(n >> 1) ^ -(int64_t)(n & 1)));
        break;
    case TOP_FLOAT:
        text = tpl_const(r->t, small(r));
        if (!tpl_text_to_float(text, &real))
            tpl_fail(r->t, "a float that is none");
        push(r, tpl_float(real));
        break;
    case TOP_STRING:
        push(r, (TplValue){ .type = TPL_STRING, .text = tpl_const(r->t, small(r)) });
        break;
    default:
        push(r, (TplValue){ .type = TPL_UNDEFINED, .text = tpl_const(r->t, small(r)) });
    }
}

// Loads, stores and constants.
static bool run_value(Run *r, enum TemplateOp op)
{
    const TplFrame *frame;
    TplValue *at;
    switch (op) {
    case TOP_STRING:
    case TOP_INT:
    case TOP_FLOAT:
    case TOP_UNDEFINED:
        constant(r, op);
        return true;
    case TOP_NONE:
        push(r, tpl_none());
        return true;
    case TOP_TRUE:
    case TOP_FALSE:
        push(r, tpl_bool(op == TOP_TRUE));
        return true;
    case TOP_ABSENT:
        push(r, (TplValue){ .type = TPL_ABSENT });
        return true;
    case TOP_GLOBAL:
    case TOP_GLOBAL_RAW:
        global(r, op == TOP_GLOBAL_RAW);
        return true;
    case TOP_LOAD:
    case TOP_LOAD_RAW:
        at = slot(r, r->frame);
        push(r, op == TOP_LOAD ? tpl_loaded(r->t, r->frame, at) : *at);
        return true;
    case TOP_LOAD_OUTER:
    case TOP_LOAD_OUTER_RAW:
        frame = outer_frame(r);
        at = slot(r, frame);
        push(r, op == TOP_LOAD_OUTER ? tpl_loaded(r->t, frame, at) : *at);
        return true;
    case TOP_STORE:
        at = slot(r, r->frame);
        *at = pop(r);
        return true;
    case TOP_CLEAR:
        *slot(r, r->frame) = (TplValue){ .type = TPL_ABSENT };
        return true;
    default:
        return false;
    }
}

static void run_operator(Run *r, enum TemplateOp op)
{
    TplValue *both;
    TplValue v;
    uint32_t how;
    switch (op) {
    case TOP_NOT:
        v = pop(r);
        push(r, tpl_bool(!tpl_truth(v)));
        break;
    case TOP_NEGATE:
        v = pop(r);
        push(r, tpl_negated(r->t, v));
        break;
    case TOP_PLUS:
        v = pop(r);
        push(r, tpl_negated(r->t, tpl_negated(r->t, v)));
        break;
    case TOP_COMPARE:
        how = small(r);
        both = take(r, 2);
        push(r, tpl_bool(tpl_compare(r->t, how, both[0], both[1])));
        break;
    case TOP_CHAIN:
        how = small(r);
        both = take(r, 2);
        v = tpl_bool(tpl_compare(r->t, how, both[0], both[1]));
        both[0] = both[1];
        ++r->height;
        push(r, v);
        break;
    default:
        both = take(r, 2);
        push(r, tpl_math(r->t, op, both[0], both[1]));
    }
}

static void run_jump(Run *r, enum TemplateOp op)
{
    const uint32_t to = small(r);
    TplValue v;
    switch (op) {
    case TOP_JUMP:
        jump(r, to);
        break;
    case TOP_JUMP_FALSE:
        if (!tpl_truth(pop(r)))
            jump(r, to);
        break;
    case TOP_JUMP_GIVEN:
        if (slot(r, r->frame)->type != TPL_ABSENT)
            jump(r, to);
        break;
    default:
        v = pop(r);
        if (tpl_truth(v) == (op == TOP_TRUE_OR_POP)) {
            push(r, v);
            jump(r, to);
        }
    }
}

// One instruction that neither returns nor is among the above.
static void run_other(Run *r, enum TemplateOp op)
{
    TplValue v;
    switch (op) {
    case TOP_TEXT:
        tpl_put_text(r->t, r->t->out, tpl_const(r->t, small(r)));
        break;
    case TOP_PRINT:
        tpl_print(r->t, r->t->out, pop(r));
        break;
    case TOP_ATTRIBUTE:
        v = pop(r);
        push(r, tpl_attribute(r->t, v, tpl_const(r->t, small(r))));
        break;
    case TOP_ITEM: {
        const TplValue *both = take(r, 2);
        push(r, tpl_item(r->t, both[0], both[1]));
        break;
    }
    case TOP_SLICE:
        slice(r);
        break;
    case TOP_SET_ATTRIBUTE:
        set_attribute(r, tpl_const(r->t, small(r)));
        break;
    case TOP_LIST:
    case TOP_TUPLE:
        collect(r, small(r), op == TOP_LIST ? TPL_LIST : TPL_TUPLE);
        break;
    case TOP_DICT:
        collect_dict(r, small(r));
        break;
    case TOP_UNPACK:
        unpack(r, small(r));
        break;
    case TOP_POP:
        pop(r);
        break;
    case TOP_NIP:
        v = pop(r);
        pop(r);
        push(r, v);
        break;
    case TOP_CONCAT:
        concat(r, small(r));
        break;
    case TOP_FILTER:
    case TOP_TEST:
        filter_or_test(r, op == TOP_TEST);
        break;
    case TOP_CALL:
        call(r);
        break;
    case TOP_FUNCTION:
        push(r, macro(r, small(r)));
        break;
    case TOP_LOOP:
        begin_loop(r, 0);
        break;
    case TOP_LOOP_FILTER:
        begin_loop(r, want_filter(r, small(r)));
        break;
    case TOP_NEXT:
        next(r, small(r));
        break;
    case TOP_LOOP_VALUE:
        push(r, (TplValue){ .type = TPL_LOOP, .loop = want_loop(r) });
        break;
    case TOP_LEAVE:
        r->loop = want_loop(r)->outer;
        break;
    case TOP_CAPTURE:
        capture(r);
        break;
    case TOP_CAPTURED:
        captured(r);
        break;
    default:
        tpl_fail(r->t, "instruction %d", (int)op);
    }
}

TplValue tpl_run(Tpl *t, TplFrame *frame)
{
    const PkgFunction *f = &t->functions[frame->function];
    enum { ROOM = 16 };
    Run r = { .t = t, .frame = frame, .at = f->code, .end = f->code + f->code_bytes, .room = ROOM };
    const uint32_t called_at = t->at;
    r.stack = tpl_alloc(t, ROOM * sizeof *r.stack);
    if (++t->depth > TPL_DEPTH)
        tpl_fail(t, "macros in macros, more than %d deep", TPL_DEPTH);
    for (;;) {
        if (r.at >= r.end)
            tpl_fail(t, "the code of a function has no end");
        t->at = r.at;
        tpl_spend(t, 1);
        const enum TemplateOp op = t->code[r.at++];
        if (op == TOP_RETURN || op == TOP_END)
            break;
        if (op >= TOP_JUMP && op <= TOP_JUMP_GIVEN)
            run_jump(&r, op);
        else if ((op >= TOP_NOT && op <= TOP_POWER) || op == TOP_COMPARE || op == TOP_CHAIN)
            run_operator(&r, op);
        else if (!run_value(&r, op))
            run_other(&r, op);
    }
    const TplValue result = t->code[r.at - 1] == TOP_RETURN ? pop(&r) : tpl_none();
    if (r.captures)
        tpl_fail(t, "output is kept at the end of a function");
    --t->depth;
    t->at = called_at;
    return result;
}
