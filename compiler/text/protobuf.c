// protobuf.c: walk over the fields of one protobuf message (https://protobuf.dev/programming-guides/encoding).
#include "protobuf.h"

#include <string.h>

enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };

static bool read_varint(Message *m, uint64_t *value)
{
    *value = 0;
    for (int shift = 0; m->at < m->end && shift < 64; shift += 7) {
        const uint8_t byte = *m->at++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

static bool read_fixed(Message *m, size_t bytes, uint64_t *value)
{
    if ((size_t)(m->end - m->at) < bytes)
        return false;
    *value = 0;
    memcpy(value, m->at, bytes); // little-endian, as the machine is
    m->at += bytes;
    return true;
}

static bool read_field(Message *m, Field *f)
{
    uint64_t key;
    *f = (Field){ 0 };
    if (!read_varint(m, &key) || key >> 3 == 0 || key >> 3 > UINT32_MAX)
        return false;
    f->number = (uint32_t)(key >> 3);
    switch (key & 7) {
    case VARINT:
        return read_varint(m, &f->value);
    case FIXED64:
        return read_fixed(m, 8, &f->value);
    case FIXED32:
        return read_fixed(m, 4, &f->value);
    case BYTES:
        if (!read_varint(m, &f->value) || f->value > (size_t)(m->end - m->at))
            return false;
        f->bytes = m->at;
        f->n = (size_t)f->value;
        m->at += f->n;
        return true;
    default:
        return false;
    }
}

bool protobuf_next(Message *m, Field *f)
{
    if (m->broken || m->at == m->end)
        return false;
    m->broken = !read_field(m, f);
    return !m->broken;
}

float protobuf_float(const Field *f)
{
    const uint32_t bits = (uint32_t)f->value;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
