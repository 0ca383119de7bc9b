// protobuf.h: walk over the fields of one protobuf message.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Field {
    uint32_t number;
    uint64_t value;       // of a whole number; the bits of a float or double
    const uint8_t *bytes; // of a string or a message, else NULL
    size_t n;
} Field;

typedef struct Message {
    const uint8_t *at, *end;
    bool broken; // ended before its end
} Message;

// The next field; false at the end, or where the message is broken.
bool protobuf_next(Message *m, Field *f);

float protobuf_float(const Field *f);
