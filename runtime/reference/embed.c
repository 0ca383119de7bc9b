// embed.c: y = table[id].
#include "steps.h"

#include <stddef.h>

void step_embed(Reference *r, const uint32_t *ids, int n)
{
    for (int i = 0; i < n; ++i)
        r->w.row(r->w.context, r->embed, 0, (int)ids[i], r->x + (size_t)i * r->p.plan->hidden);
}
