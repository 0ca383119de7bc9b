// damage.c: damage PLAN KIND SEED: the plan.json with one random damage of a kind, on stdout; `damage kinds` lists the kinds.
//
// plan.json has one record a line, so that a kind is: which lines, which number of the line, and what happens to it.
#include "../test.h"

#include "../../compiler/base/file.h"
#include "../../compiler/base/str.h"
#include "../../compiler/base/vec.h"
#include "../../runtime/hash.h"

typedef enum Act {
    NUDGE,  // a number near by: off by one, by a few, doubled, halved
    SWAP,   // lines change places
    DROP,   // a line is lost
    REPEAT, // a line stands twice
    WORD,   // a word becomes another
    HAND,   // a row moves from one task to the next, as a hand would do it
} Act;

static const struct {
    const char *name, *line, *key; // lines with this text; "key": number, or in a list "[..]" any of it
    Act act;
    const char *words; // WORD: from them, to another of them
} kinds[] = {
    { "task-row", "\"op\": \"", "row", NUDGE, "\"worker\"" },
    { "task-rows", "\"op\": \"", "rows", NUDGE, "\"worker\"" },
    { "task-worker", "\"op\": \"", "worker", NUDGE, "\"worker\"" },
    { "task-part", "\"op\": \"", "part", NUDGE, "\"worker\"" },
    { "task-parts", "\"op\": \"", "parts", NUDGE, "\"worker\"" },
    { "task-wave", "\"op\": \"", "wave", NUDGE, "\"worker\"" },
    { "task-lost", "\"worker\": ", "", DROP, "" },
    { "task-twice", "\"worker\": ", "", REPEAT, "" },
    { "tasks-swapped", "\"worker\": ", "", SWAP, "" },
    { "row-moved", "\"worker\": ", "", HAND, "" },
    { "buffer-at", "\"space\": ", "at", NUDGE, "" },
    { "buffer-bytes", "\"space\": ", "bytes", NUDGE, "" },
    { "buffer-waves", "\"space\": ", "waves", NUDGE, "" },
    { "buffer-space", "\"space\": ", "", WORD, "\"global\" \"shared\"" },
    { "buffer-lost", "\"space\": ", "", DROP, "" },
    { "wave-smem", "\"smem_bytes\": ", "smem_bytes", NUDGE, "\"scope\"" },
    { "wave-sync", "\"smem_bytes\": ", "", WORD, "\"barrier\" \"packets\"" },
    { "wave-scope", "\"smem_bytes\": ", "", WORD, "\"gpu\" \"system\"" },
    { "waves-swapped", "\"smem_bytes\": ", "", SWAP, "" },
    { "wave-lost", "\"smem_bytes\": ", "", DROP, "" },
    { "matrix-base", "\"layout\": ", "base", NUDGE, "" },
    { "matrix-stride", "\"layout\": ", "stride", NUDGE, "" },
    { "matrix-layer-stride", "\"layout\": ", "layer_stride", NUDGE, "" },
    { "matrix-rows", "\"layout\": ", "rows", NUDGE, "" },
    { "matrix-slices", "\"slices\": ", "slices", NUDGE, "" },
    { "matrix-slice-cols", "\"layout\": ", "slice_cols", NUDGE, "" },
    { "matrix-layout", "\"layout\": ", "", WORD, "\"rows\" \"lanes\"" },
    { "matrix-format", "\"layout\": ", "", WORD, "\"BF16\" \"F16\"" },
    { "matrices-swapped", "\"layout\": ", "", SWAP, "" },
    { "norm-base", "norm.weight\"", "base", NUDGE, "" },
    { "tiling-rows", "\"tiling\": ", "rows", NUDGE, "" },
    { "tiling-unroll", "\"tiling\": ", "unroll", NUDGE, "" },
    { "tiling-granule", "\"tiling\": ", "granule", NUDGE, "" },
    { "tiling-splits", "\"kind\": \"reduce\"", "splits", NUDGE, "" },
    { "tiling-lanes", "\"tiling\": ", "lanes", NUDGE, "" },
    { "tiling-chunk", "\"kind\": \"attend\"", "chunk", NUDGE, "" },
    { "tiling-streams", "\"kind\": \"attend\"", "streams", NUDGE, "" },
    { "tiling-tile", "\"kind\": \"attend\"", "tile", NUDGE, "" },
    { "tiling-heads", "\"kind\": \"attend\"", "heads", NUDGE, "" },
    { "kernel-kind", "\"tiling\": ", "", WORD, "\"gemv_rows\" \"ffn_lanes\" \"attend\" \"reduce\"" },
    { "workers", "\"workers\": ", "workers", NUDGE, "" },
    { "warps", "\"workers\": ", "warps", NUDGE, "" },
    { "registers", "\"workers\": ", "registers", NUDGE, "" },
    { "parts", "\"workers\": ", "parts", NUDGE, "" },
    { "schedule-sync", "\"workers\": ", "", WORD, "\"barrier\" \"packets\"" },
    { "schedule-feed", "\"workers\": ", "", WORD, "\"plain\" \"async\" \"bulk\"" },
    { "contexts", "\"contexts\": ", "contexts", NUDGE, "" },
    { "context", "\"context\": ", "context", NUDGE, "" },
    { "repeats", "\"first_wave\": ", "first_wave", NUDGE, "" },
    { "repeat-layers", "\"first_wave\": ", "layers", NUDGE, "" },
    { "kv-row", "\"row_bytes\": ", "row_bytes", NUDGE, "" },
    { "kv-head", "\"row_bytes\": ", "head_stride", NUDGE, "" },
    { "kv-offset", "\"row_bytes\": ", "v_offset", NUDGE, "" },
    { "kv-layer", "\"row_bytes\": ", "layer_stride", NUDGE, "" },
    { "kv-type", "\"row_bytes\": ", "", WORD, "\"f16\" \"bf16\" \"f32\"" },
    { "weight-bytes", "\"weight_bytes\": ", "weight_bytes", NUDGE, "" },
    { "state-bytes", "\"state_bytes\": ", "state_bytes", NUDGE, "" },
    { "poll-limit", "\"poll_limit\": ", "poll_limit", NUDGE, "" },
    { "fingerprint", "\"made_for\": ", "", WORD, "0 1 2 3 4 5 6 7 8 9 a b c d e f" },
    { "model-facts", "\"norm_eps\": ", "heads", NUDGE, "" },
    { "target-facts", "\"regs_per_sm\": ", "sms", NUDGE, "" },
};

typedef struct Random {
    uint64_t state;
} Random;

static int next(Random *r, int below)
{
    r->state = hash_mix(r->state + 0x9e3779b97f4a7c15ull);
    return (int)(r->state % (uint64_t)below);
}

typedef struct Lines {
    const char **at;
    int n;
} Lines;

static Lines lines_of(Arena *a, const char *text)
{
    Lines lines = { arena_alloc(a, (strlen(text) + 1) * sizeof *lines.at), 0 };
    for (const char *s = text; *s; s += strcspn(s, "\n"), s += *s == '\n')
        lines.at[lines.n++] = str_copy(a, s, strcspn(s, "\n"));
    return lines;
}

// A random line that has both texts; -1: none has.
static int pick(const Lines *lines, Random *r, const char *one, const char *other)
{
    int n = 0, picked = -1;
    for (int i = 0; i < lines->n; ++i)
        if (strstr(lines->at[i], one) && strstr(lines->at[i], other) && next(r, ++n) == 0)
            picked = i;
    return picked;
}

static long long nudged(Random *r, long long v)
{
    const long long by[] = { v + 1, v - 1, v + 16, v - 16, v * 2, v / 2, v + 1 + next(r, 64), v - 1 - next(r, 64), 0, v + 128 };
    long long got = by[next(r, ARRAY_LEN(by))];
    if (v > 4096 && next(r, 3) == 0)
        got = v + 4096;
    return got == v || got < 0 ? v + 1 : got;
}

static const char *spliced(Arena *a, const char *line, const char *from, size_t bytes, const char *with)
{
    return str_format(a, "%.*s%s%s", (int)(from - line), line, with, from + bytes);
}

// The number behind "key":, or one of those in its list.
static const char *nudge(Arena *a, Random *r, const char *line, const char *key)
{
    const char *word = str_format(a, "\"%s\": ", key), *at = strstr(line, word);
    if (!at)
        return line;
    at += strlen(word);
    if (*at == '[') {
        int n = 1;
        for (const char *s = at; *s && *s != ']'; ++s)
            n += *s == ',';
        ++at;
        for (int skip = next(r, n); skip; --skip)
            at = strchr(at, ',') + 2;
    }
    return spliced(a, line, at, strspn(at, "0123456789"), str_format(a, "%lld", nudged(r, atoll(at))));
}

static const char *change_word(Arena *a, Random *r, const char *line, const char *words)
{
    const char *list[16];
    int n = 0;
    for (const char *s = words; *s; s += strcspn(s, " "), s += *s == ' ')
        list[n++] = str_copy(a, s, strcspn(s, " "));
    for (int tries = 0; tries < 64; ++tries) {
        const char *from = list[next(r, n)], *to = list[next(r, n)];
        const char *last = strlen(from) == 1 ? strrchr(line, from[0]) : strstr(line, from);
        if (from != to && last && (strlen(from) > 1 || last > strchr(line, ':')))
            return spliced(a, line, last, strlen(from), to);
    }
    return line;
}

static long long number(const char *line, const char *key)
{
    const char *at = strstr(line, key);
    return at ? atoll(at + strlen(key)) : -1;
}

static const char *set_number(Arena *a, const char *line, const char *key, long long v)
{
    const char *at = strstr(line, key) + strlen(key);
    return spliced(a, line, at, strspn(at, "0123456789"), str_format(a, "%lld", v));
}

// The last row of a task becomes the first of the next one's.
static void move_row(Arena *a, Random *r, Lines *lines)
{
    for (int tries = 0; tries < 1000; ++tries) {
        const int i = pick(lines, r, "\"worker\": ", "\"rows\": ");
        if (i < 0 || i + 1 >= lines->n || number(lines->at[i], "\"wave\": ") != number(lines->at[i + 1], "\"wave\": ") ||
            number(lines->at[i], "\"rows\": ") < 2 || strstr(lines->at[i], "\"ffn\"") || strstr(lines->at[i], "\"reduce\""))
            continue;
        lines->at[i] = set_number(a, lines->at[i], "\"rows\": ", number(lines->at[i], "\"rows\": ") - 1);
        lines->at[i + 1] = set_number(a, lines->at[i + 1], "\"row\": ", number(lines->at[i + 1], "\"row\": ") - 1);
        lines->at[i + 1] = set_number(a, lines->at[i + 1], "\"rows\": ", number(lines->at[i + 1], "\"rows\": ") + 1);
        return;
    }
}

// The text of a record without what separates it from the next.
static const char *record(Arena *a, const char *line)
{
    const size_t bytes = strlen(line);
    return str_copy(a, line, bytes - (bytes && line[bytes - 1] == ','));
}

static void swap(Arena *a, Random *r, Lines *lines, const char *text)
{
    const int x = pick(lines, r, text, text), y = pick(lines, r, text, text);
    const char *x_end = str_ends(lines->at[x], ",") ? "," : "", *y_end = str_ends(lines->at[y], ",") ? "," : "";
    const char *one = record(a, lines->at[x]);
    lines->at[x] = str_format(a, "%s%s", record(a, lines->at[y]), x_end);
    lines->at[y] = str_format(a, "%s%s", one, y_end);
}

static void damage(Arena *a, Random *r, Lines *lines, int kind)
{
    const char *text = kinds[kind].line;
    const int i = pick(lines, r, text, kinds[kind].act == NUDGE ? kinds[kind].words : text);
    if (i < 0)
        return;
    switch (kinds[kind].act) {
    case NUDGE:
        lines->at[i] = nudge(a, r, lines->at[i], kinds[kind].key);
        break;
    case WORD:
        lines->at[i] = change_word(a, r, lines->at[i], kinds[kind].words);
        break;
    case SWAP:
        swap(a, r, lines, text);
        break;
    case DROP: // the last of a list takes the comma of the one before with it
        if (!str_ends(lines->at[i], ","))
            lines->at[i - 1] = record(a, lines->at[i - 1]);
        lines->at[i] = "";
        break;
    case REPEAT:
        lines->at[i] = str_format(a, "%s,\n%s", record(a, lines->at[i]), lines->at[i]);
        break;
    case HAND:
        move_row(a, r, lines);
    }
}

int main(int argc, char **argv)
{
    if (argc == 2)
        for (int i = 0; i < ARRAY_LEN(kinds); ++i)
            puts(kinds[i].name);
    if (argc != 4)
        return argc == 2 ? 0 : 2;
    Arena *a = arena_new();
    const Bytes file = file_read(a, argv[1]);
    Lines lines = lines_of(a, str_copy(a, (const char *)file.at, file.bytes));
    int kind = 0;
    while (kind < ARRAY_LEN(kinds) && !str_equal(kinds[kind].name, argv[2]))
        ++kind;
    if (kind == ARRAY_LEN(kinds))
        return 2;
    Random r = { hash_mix(strtoull(argv[3], NULL, 10)) ^ str_hash(STR_HASH_SEED, argv[2], strlen(argv[2])) };
    damage(a, &r, &lines, kind);
    for (int i = 0; i < lines.n; ++i)
        if (*lines.at[i])
            puts(lines.at[i]);
    arena_free(a);
    return 0;
}
