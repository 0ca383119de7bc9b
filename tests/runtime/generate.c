// generate.c: an answer on the stand-in GPU: text as it becomes whole, what ends it, and what the callbacks see.
#include "../test.h"
#include "tiny_program.h"

#include "../../runtime/generate.h"
#include "../../runtime/rt_state.h"

enum { IDS = 8 };

// A vocabulary in which the ids that the stand-in model chooses have the texts a test gives them.
typedef struct Words {
    PkgTokenizer head;
    uint8_t text[256], types[TINY_VOCAB];
    uint32_t starts[TINY_VOCAB + 1];
} Words;

static void set_words(Words *w, const uint32_t *ids, const char *const *texts, int n)
{
    uint32_t at = 0;
    memset(w, 0, sizeof *w);
    w->head.vocab = TINY_VOCAB;
    for (uint32_t id = 0; id < TINY_VOCAB; ++id) {
        w->starts[id] = at;
        for (int i = 0; i < n; ++i)
            if (ids[i] == id && texts[i]) {
                memcpy(w->text + at, texts[i], strlen(texts[i]));
                at += (uint32_t)strlen(texts[i]);
            }
    }
    w->starts[TINY_VOCAB] = at;
}

static TokenizerView view_of(const Words *w)
{
    return (TokenizerView){ .head = &w->head, .text = w->text, .types = w->types, .starts = w->starts };
}

// What the callbacks saw: ids as i, pieces of text as they are, one space apart.
typedef struct Seen {
    char log[512];
    int ids, texts, rows;
    int stop_after_ids, cancel_after_ids; // 0: never
} Seen;

static void add(Seen *s, const char *text, size_t bytes)
{
    const size_t at = strlen(s->log);
    snprintf(s->log + at, sizeof s->log - at, "%s%.*s", at ? " " : "", (int)bytes, text);
}

static bool on_id(void *context, uint32_t id)
{
    Seen *s = context;
    (void)id;
    add(s, "i", 1);
    return ++s->ids != s->stop_after_ids;
}

static bool on_text(void *context, const char *text, size_t bytes)
{
    add(context, text, bytes);
    return true;
}

static bool on_cancelled(void *context)
{
    const Seen *s = context;
    return s->cancel_after_ids && s->ids >= s->cancel_after_ids;
}

static bool on_logits(void *context, const float *row)
{
    Seen *s = context;
    (void)row;
    ++s->rows;
    return true;
}

static const uint32_t prompt[] = { 65, 66, 67 };

static Generate run(Rt *rt, const Words *w, const StopStrings *stops, int most, Seen *seen)
{
    static float row[TINY_VOCAB];
    const TokenizerView view = view_of(w);
    const bool logits = seen->rows < 0;
    Generate g = { .ids = prompt, .n = 3, .most = most, .tokenizer = &view, .stops = stops, .id = on_id, .text = on_text,
                   .cancelled = on_cancelled, .logits = logits ? on_logits : NULL, .row = row, .context = seen };
    seen->rows = 0;
    rt_reset(rt);
    ASSERT_INT(RT_OK, rt_generate(rt, &g));
    return g;
}

static void test_text(Rt *rt, const uint32_t *ids)
{
    // A code point in two tokens, a stop string over three and inside two of them.
    static const char *const texts[IDS] = { "ab", "c\xe4\xb8", "\xad", "dEN", "D", "e", "f", "g" };
    static const char *const end[] = { "ND" }, *const over[] = { "\xe4\xb8\xad" "dE" }, *const never[] = { "fx" };
    const StopStrings stop_end = { end, 1 }, stop_over = { over, 1 }, stop_never = { never, 1 };
    Words w;
    set_words(&w, ids, texts, IDS);
    for (int logits = 0; logits < 2; ++logits) {
        Seen plain = { .rows = -logits }, one = plain, two = plain, three = plain, four = plain;
        Generate g = run(rt, &w, NULL, IDS, &plain);
        ASSERT_STR("i ab i c i \xe4\xb8\xad i dEN i D i e i f i g", plain.log);
        ASSERT_INT(GENERATE_COUNT, g.end);
        ASSERT_INT(-1, g.stop);
        ASSERT_INT(IDS, g.made);
        ASSERT_INT(3, g.first);
        ASSERT_INT(3 + IDS - 1, g.last);
        ASSERT(g.first_seconds >= g.prompt_seconds && g.prompt_seconds > 0);
        ASSERT_INT(logits * (3 + IDS - 1), plain.rows);

        g = run(rt, &w, &stop_end, IDS, &one);
        ASSERT_STR("i ab i c i \xe4\xb8\xad i dE i", one.log);
        ASSERT_INT(GENERATE_STOP, g.end);
        ASSERT_INT(0, g.stop);
        ASSERT_INT(5, g.made);
        ASSERT_INT(3 + 4, rt_position(rt));

        g = run(rt, &w, &stop_over, IDS, &two);
        ASSERT_STR("i ab i c i i", two.log);
        ASSERT_INT(4, g.made);

        // Held back and then let go; held back at the end.
        g = run(rt, &w, &stop_never, IDS, &three);
        ASSERT_STR("i ab i c i \xe4\xb8\xad i dEN i D i e i i fg", three.log);
        g = run(rt, &w, &stop_never, 7, &four);
        ASSERT_STR("i ab i c i \xe4\xb8\xad i dEN i D i e i f", four.log);
        ASSERT_INT(GENERATE_COUNT, g.end);
    }
    // A text that ends inside a code point.
    Seen cut = { .ids = 0 };
    run(rt, &w, NULL, 2, &cut);
    ASSERT_STR("i ab i c \xef\xbf\xbd", cut.log);
}

static void test_special(Rt *rt, const uint32_t *ids)
{
    static const char *const texts[IDS] = { "a", "<b>", "c" };
    Words w;
    set_words(&w, ids, texts, IDS);
    w.types[ids[1]] = TOKEN_SPECIAL;
    const TokenizerView view = view_of(&w);
    Seen hidden = { .ids = 0 }, shown = hidden;
    run(rt, &w, NULL, 3, &hidden);
    ASSERT_STR("i a i i c", hidden.log);
    Generate g = { .ids = prompt, .n = 3, .most = 3, .tokenizer = &view, .special = true, .id = on_id, .text = on_text,
                   .context = &shown };
    rt_reset(rt);
    ASSERT_INT(RT_OK, rt_generate(rt, &g));
    ASSERT_STR("i a i <b> i c", shown.log);
}

static void test_ends(Rt *rt, const uint32_t *ids)
{
    static const char *const texts[IDS] = { "a", "b", "c", "d", "e", "f", "g", "h" };
    Words w;
    set_words(&w, ids, texts, IDS);
    Seen by_id = { .stop_after_ids = 2 }, by_asking = { .cancel_after_ids = 3 };
    Generate g = run(rt, &w, NULL, -1, &by_id);
    ASSERT_INT(GENERATE_CANCELLED, g.end);
    ASSERT_INT(2, g.made);
    ASSERT_STR("i a i b", by_id.log);
    g = run(rt, &w, NULL, -1, &by_asking);
    ASSERT_INT(GENERATE_CANCELLED, g.end);
    ASSERT_INT(3, g.made);
    // The next answer goes on behind what was given out, with no prompt and no callbacks.
    Generate next = { .most = 4 };
    ASSERT_INT(RT_OK, rt_generate(rt, &next));
    ASSERT_INT(GENERATE_COUNT, next.end);
    ASSERT_INT(4, next.made);
    ASSERT_INT(3 + 3 + 4 - 1, rt_position(rt));
    // To the id that ends the text; past it; to the end of the context.
    Seen whole = { .ids = 0 };
    g = run(rt, &w, NULL, -1, &whole);
    ASSERT_INT(GENERATE_EOS, g.end);
    Generate past = { .ids = prompt, .n = 3, .most = -1, .ignore_eos = true };
    rt_reset(rt);
    ASSERT_INT(RT_OK, rt_generate(rt, &past));
    ASSERT_INT(GENERATE_CONTEXT, past.end);
    ASSERT_INT(TINY_CONTEXT, rt_position(rt));
    ASSERT(past.made > g.made);
    rt_reset(rt);
    Generate none = { .most = 1 };
    ASSERT_INT(RT_FAILED, rt_generate(rt, &none));
    ASSERT_STR("nothing to continue: no id was put in since the context was cut", rt_error(rt)->text);
}

static bool take(void *context, uint32_t id)
{
    uint32_t **to = context;
    *(*to)++ = id;
    return true;
}

int main(int argc, char **argv)
{
    TinyProgram t;
    Rt *rt;
    RtEnd end;
    uint32_t ids[IDS], *to = ids;
    if (argc < 2)
        return 2;
    tiny_defaults(&t);
    if (tiny_write(&t, NULL, argv[1]))
        return 1;
    const RtOptions options = { .program = argv[1], .weights = "random:20" };
    if (rt_open(&rt, &options) != RT_OK) {
        printf("%s\n", rt_error(rt)->text);
        return 1;
    }
    ASSERT_INT(RT_OK, rt_prefill(rt, prompt, 3));
    ASSERT_INT(RT_OK, rt_decode(rt, IDS, take, &to, &end));
    for (int i = 0; i < IDS; ++i)
        for (int k = 0; k < i; ++k)
            ASSERT(ids[i] != ids[k] && ids[i] != TINY_EOS); // the tests below give each its text
    test_text(rt, ids);
    test_special(rt, ids);
    test_ends(rt, ids);
    rt_close(rt);
    return test_failed;
}
