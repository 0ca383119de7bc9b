// place.c: the tensors of all layers in the order in which they lie.
#include "place.h"

#include <stdlib.h>
#include <string.h>

static int by_address(const void *a, const void *b)
{
    const int64_t x = ((const Place *)a)->at, y = ((const Place *)b)->at;
    if (x != y)
        return x < y ? -1 : 1;
    const Matrix *m = ((const Place *)a)->matrix, *n = ((const Place *)b)->matrix; // of one stack: in the table's order
    return (m > n) - (m < n);
}

PlaceList place_list(Arena *a, const Plan *p)
{
    PlaceList list = { 0 };
    for (int i = 0; i < p->matrices.n; ++i)
        list.n += p->matrices.at[i].layers;
    for (int i = 0; i < p->norms.n; ++i)
        list.n += p->norms.at[i].layers;
    list.at = arena_alloc(a, (size_t)list.n * sizeof *list.at);
    int n = 0;
    for (int i = 0; i < p->matrices.n; ++i)
        for (int layer = 0; layer < p->matrices.at[i].layers; ++layer)
            list.at[n++] = (Place){ p->matrices.at[i].base + layer * p->matrices.at[i].layer_stride, layer, &p->matrices.at[i], NULL };
    for (int i = 0; i < p->norms.n; ++i)
        for (int layer = 0; layer < p->norms.at[i].layers; ++layer)
            list.at[n++] = (Place){ p->norms.at[i].base + layer * p->norms.at[i].layer_stride, layer, NULL, &p->norms.at[i] };
    qsort(list.at, (size_t)list.n, sizeof *list.at, by_address);
    return list;
}

const char *place_name(Arena *a, const Plan *p, const Place *place)
{
    const Tensor *t = &p->graph->tensors.at[place->matrix ? place->matrix->tensor : place->norm->tensor];
    const char *zero = t->layer < 0 ? NULL : strstr(t->name, ".0.");
    if (!zero)
        return t->name;
    return str_format(a, "%.*s.%d%s", (int)(zero - t->name), t->name, place->layer, zero + 2);
}
