// unicode.c: general categories, from utf8proc and a table of what its version may not know.
#include "unicode.h"

#include <utf8proc.h>

typedef struct Newer {
    uint32_t first, last;
    int category;
} Newer;

// Unicode 15.1 and 16.0. utf8proc 2.8 (Debian 12) ends at 15.0; with these every build splits text as Hugging Face's
// tokenizers 0.23, whose regular expressions know Unicode 16.0.
// clang-format off
static const Newer newer[] = {
    { 0x00897, 0x00897, UTF8PROC_CATEGORY_MN }, { 0x01b4e, 0x01b4f, UTF8PROC_CATEGORY_PO },
    { 0x01b7f, 0x01b7f, UTF8PROC_CATEGORY_PO }, { 0x01c89, 0x01c89, UTF8PROC_CATEGORY_LU },
    { 0x01c8a, 0x01c8a, UTF8PROC_CATEGORY_LL }, { 0x02427, 0x02429, UTF8PROC_CATEGORY_SO },
    { 0x02ffc, 0x02fff, UTF8PROC_CATEGORY_SO }, { 0x031e4, 0x031e5, UTF8PROC_CATEGORY_SO },
    { 0x031ef, 0x031ef, UTF8PROC_CATEGORY_SO }, { 0x0a7cb, 0x0a7cc, UTF8PROC_CATEGORY_LU },
    { 0x0a7cd, 0x0a7cd, UTF8PROC_CATEGORY_LL }, { 0x0a7da, 0x0a7da, UTF8PROC_CATEGORY_LU },
    { 0x0a7db, 0x0a7db, UTF8PROC_CATEGORY_LL }, { 0x0a7dc, 0x0a7dc, UTF8PROC_CATEGORY_LU },
    { 0x105c0, 0x105f3, UTF8PROC_CATEGORY_LO }, { 0x10d40, 0x10d49, UTF8PROC_CATEGORY_ND },
    { 0x10d4a, 0x10d4d, UTF8PROC_CATEGORY_LO }, { 0x10d4e, 0x10d4e, UTF8PROC_CATEGORY_LM },
    { 0x10d4f, 0x10d4f, UTF8PROC_CATEGORY_LO }, { 0x10d50, 0x10d65, UTF8PROC_CATEGORY_LU },
    { 0x10d69, 0x10d6d, UTF8PROC_CATEGORY_MN }, { 0x10d6e, 0x10d6e, UTF8PROC_CATEGORY_PD },
    { 0x10d6f, 0x10d6f, UTF8PROC_CATEGORY_LM }, { 0x10d70, 0x10d85, UTF8PROC_CATEGORY_LL },
    { 0x10d8e, 0x10d8f, UTF8PROC_CATEGORY_SM }, { 0x10ec2, 0x10ec4, UTF8PROC_CATEGORY_LO },
    { 0x10efc, 0x10efc, UTF8PROC_CATEGORY_MN }, { 0x11380, 0x11389, UTF8PROC_CATEGORY_LO },
    { 0x1138b, 0x1138b, UTF8PROC_CATEGORY_LO }, { 0x1138e, 0x1138e, UTF8PROC_CATEGORY_LO },
    { 0x11390, 0x113b5, UTF8PROC_CATEGORY_LO }, { 0x113b7, 0x113b7, UTF8PROC_CATEGORY_LO },
    { 0x113b8, 0x113ba, UTF8PROC_CATEGORY_MC }, { 0x113bb, 0x113c0, UTF8PROC_CATEGORY_MN },
    { 0x113c2, 0x113c2, UTF8PROC_CATEGORY_MC }, { 0x113c5, 0x113c5, UTF8PROC_CATEGORY_MC },
    { 0x113c7, 0x113ca, UTF8PROC_CATEGORY_MC }, { 0x113cc, 0x113cd, UTF8PROC_CATEGORY_MC },
    { 0x113ce, 0x113ce, UTF8PROC_CATEGORY_MN }, { 0x113cf, 0x113cf, UTF8PROC_CATEGORY_MC },
    { 0x113d0, 0x113d0, UTF8PROC_CATEGORY_MN }, { 0x113d1, 0x113d1, UTF8PROC_CATEGORY_LO },
    { 0x113d2, 0x113d2, UTF8PROC_CATEGORY_MN }, { 0x113d3, 0x113d3, UTF8PROC_CATEGORY_LO },
    { 0x113d4, 0x113d5, UTF8PROC_CATEGORY_PO }, { 0x113d7, 0x113d8, UTF8PROC_CATEGORY_PO },
    { 0x113e1, 0x113e2, UTF8PROC_CATEGORY_MN }, { 0x116d0, 0x116e3, UTF8PROC_CATEGORY_ND },
    { 0x1171e, 0x1171e, UTF8PROC_CATEGORY_MC }, { 0x11bc0, 0x11be0, UTF8PROC_CATEGORY_LO },
    { 0x11be1, 0x11be1, UTF8PROC_CATEGORY_PO }, { 0x11bf0, 0x11bf9, UTF8PROC_CATEGORY_ND },
    { 0x11f5a, 0x11f5a, UTF8PROC_CATEGORY_MN }, { 0x13460, 0x143fa, UTF8PROC_CATEGORY_LO },
    { 0x16100, 0x1611d, UTF8PROC_CATEGORY_LO }, { 0x1611e, 0x16129, UTF8PROC_CATEGORY_MN },
    { 0x1612a, 0x1612c, UTF8PROC_CATEGORY_MC }, { 0x1612d, 0x1612f, UTF8PROC_CATEGORY_MN },
    { 0x16130, 0x16139, UTF8PROC_CATEGORY_ND }, { 0x16d40, 0x16d42, UTF8PROC_CATEGORY_LM },
    { 0x16d43, 0x16d6a, UTF8PROC_CATEGORY_LO }, { 0x16d6b, 0x16d6c, UTF8PROC_CATEGORY_LM },
    { 0x16d6d, 0x16d6f, UTF8PROC_CATEGORY_PO }, { 0x16d70, 0x16d79, UTF8PROC_CATEGORY_ND },
    { 0x18cff, 0x18cff, UTF8PROC_CATEGORY_LO }, { 0x1cc00, 0x1ccef, UTF8PROC_CATEGORY_SO },
    { 0x1ccf0, 0x1ccf9, UTF8PROC_CATEGORY_ND }, { 0x1cd00, 0x1ceb3, UTF8PROC_CATEGORY_SO },
    { 0x1e5d0, 0x1e5ed, UTF8PROC_CATEGORY_LO }, { 0x1e5ee, 0x1e5ef, UTF8PROC_CATEGORY_MN },
    { 0x1e5f0, 0x1e5f0, UTF8PROC_CATEGORY_LO }, { 0x1e5f1, 0x1e5fa, UTF8PROC_CATEGORY_ND },
    { 0x1e5ff, 0x1e5ff, UTF8PROC_CATEGORY_PO }, { 0x1f8b2, 0x1f8bb, UTF8PROC_CATEGORY_SO },
    { 0x1f8c0, 0x1f8c1, UTF8PROC_CATEGORY_SO }, { 0x1fa89, 0x1fa89, UTF8PROC_CATEGORY_SO },
    { 0x1fa8f, 0x1fa8f, UTF8PROC_CATEGORY_SO }, { 0x1fabe, 0x1fabe, UTF8PROC_CATEGORY_SO },
    { 0x1fac6, 0x1fac6, UTF8PROC_CATEGORY_SO }, { 0x1fadc, 0x1fadc, UTF8PROC_CATEGORY_SO },
    { 0x1fadf, 0x1fadf, UTF8PROC_CATEGORY_SO }, { 0x1fae9, 0x1fae9, UTF8PROC_CATEGORY_SO },
    { 0x1fbcb, 0x1fbef, UTF8PROC_CATEGORY_SO }, { 0x2ebf0, 0x2ee5d, UTF8PROC_CATEGORY_LO },
};
// clang-format on

const Unicode *unicode_new(Arena *a)
{
    Unicode *u = arena_alloc(a, sizeof *u);
    u->arena = a;
    int next = 0;
    for (uint32_t code = 0; code < CODE_POINTS; ++code) {
        int category = utf8proc_category((utf8proc_int32_t)code);
        while (next < ARRAY_LEN(newer) && newer[next].last < code)
            ++next;
        if (next < ARRAY_LEN(newer) && newer[next].first <= code)
            category = newer[next].category;
        const CategoryRun run = { code, category };
        if (!u->runs.n || u->runs.at[u->runs.n - 1].category != category)
            vec_push(a, &u->runs, run);
    }
    return u;
}
