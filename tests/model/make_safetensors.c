// make_safetensors.c: safetensors files for tests.
#include "make.h"

#include <stdlib.h>

Str make_safetensors_bytes(MakeFile *f)
{
    Str out = str_new(f->arena), header = str_new(f->arena), data = str_new(f->arena);
    str_add(&header, "{\"__metadata__\":{\"format\":\"pt\"}");
    for (int i = 0; i < f->tensors.n; ++i) {
        const MakeTensor *t = &f->tensors.at[i];
        str_add(&header, ",\"%s\":{\"dtype\":\"%s\",\"shape\":[", t->name, t->type);
        for (int d = 0; d < t->rank; ++d)
            str_add(&header, "%s%lld", d ? "," : "", t->dims[d]);
        const long long begin = t->begin < 0 ? (long long)data.bytes : t->begin;
        str_add_bytes(&data, t->data.text, t->data.bytes);
        const long long end = t->end < 0 ? (long long)data.bytes : t->end;
        str_add(&header, "],\"data_offsets\":[%lld,%lld]}", begin, end);
    }
    str_add(&header, "}");
    const char *text = f->header ? f->header : header.text;
    const unsigned long long bytes = f->header_bytes ? strtoull(f->header_bytes, NULL, 10) : strlen(text);
    str_add_bytes(&out, &bytes, 8);
    str_add(&out, "%s", text);
    str_add_bytes(&out, data.text, data.bytes);
    return out;
}
