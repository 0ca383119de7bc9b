// cli_nearest.c: which known name a misspelt one was meant to be.
#include "cli_nearest.h"

#include <limits.h>

// Levenshtein distance; names are short, and what is not is near none.
static int edit_distance(const char *a, size_t n, const char *b, size_t m)
{
    enum { MOST = 40 };
    int row[MOST + 1];
    if (n > MOST || m > MOST)
        return INT_MAX;
    for (size_t j = 0; j <= m; ++j)
        row[j] = (int)j;
    for (size_t i = 1; i <= n; ++i) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= m; ++j) {
            const int changed = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            int least = row[j] < row[j - 1] ? row[j] : row[j - 1];
            least = changed < least + 1 ? changed : least + 1;
            row[j] = least;
        }
    }
    return row[m];
}

Nearest nearest_to(const char *text, size_t bytes)
{
    return (Nearest){ .text = text, .bytes = bytes, .wrong = (int)(bytes + 2) / 3 + 1 };
}

void nearest_look(Nearest *n, const char *name, size_t bytes)
{
    const int wrong = edit_distance(n->text, n->bytes, name, bytes);
    if (wrong >= n->wrong)
        return;
    n->wrong = wrong;
    n->name = name;
    n->name_bytes = bytes;
}
