// ops.c: the table of operations, taken apart.
#include "ops.h"

#include <string.h>

typedef struct Row {
    const char *name, *inputs, *outputs, *meaning;
} Row;

#define OP_ROW(kind, name, inputs, outputs, meaning) { name, inputs, outputs, meaning },
static const Row rows[] = { OP_TABLE(OP_ROW) };
#undef OP_ROW

static Access access_of(const char *word, size_t bytes)
{
    static const struct {
        const char *word;
        Access access;
    } words[] = { { "all", ACCESS_ALL },   { "rows", ACCESS_ROWS }, { "cols", ACCESS_COLS },
                  { "part", ACCESS_PART }, { "head", ACCESS_HEAD }, { "row", ACCESS_ROW } };
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (strlen(words[i].word) == bytes && memcmp(words[i].word, word, bytes) == 0)
            return words[i].access;
    return ACCESS_NONE;
}

// Fills slots from `at` on with the words of "x:all w:rows?"; returns how many.
static int parse_slots(const char *text, OpInfo *info, int at)
{
    int n = 0;
    for (const char *s = text; *s; ++n) {
        const size_t name = strcspn(s, ":"), word = strcspn(s + name + 1, " ?");
        memcpy(info->slot[at + n], s, name);
        info->access[at + n] = access_of(s + name + 1, word);
        s += name + 1 + word;
        info->optional[at + n] = *s == '?';
        s += *s == '?';
        s += *s == ' ';
    }
    return n;
}

OpInfo op_info(OpKind kind)
{
    OpInfo info = { .name = rows[kind].name, .meaning = rows[kind].meaning };
    info.inputs = parse_slots(rows[kind].inputs, &info, 0);
    info.outputs = parse_slots(rows[kind].outputs, &info, OP_IN);
    return info;
}

int op_slot(OpKind kind, const char *slot)
{
    const OpInfo info = op_info(kind);
    for (int i = 0; i < OP_IN + OP_OUT; ++i)
        if (info.access[i] != ACCESS_NONE && strcmp(info.slot[i], slot) == 0)
            return i;
    return -1;
}
