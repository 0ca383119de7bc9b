// guard.h: who may ask: the key, and which pages of a browser.
#pragma once
#include "mhd.h"
#include "refusal.h"

#include <stdbool.h>

typedef struct Guard {
    const char *key;  // NULL: none is needed
    const char *cors; // an origin, or "*"; NULL: no page but our own
    const char *host; // that the server listens on, as the user wrote it
    bool loopback;    // it is this machine alone
} Guard;

// What a request says of itself; each NULL where it says nothing.
typedef struct Caller {
    const char *host, *origin, *authorization;
} Caller;

Caller guard_caller(const Mhd *mhd, MhdConnection *c);

// A page of another site may not use the server through its visitor's browser: neither by a request (its origin is another
// one), nor by a name that resolves to this machine (its host is another one). False: refused.
bool guard_page(const Guard *g, const Caller *caller, Refusal *refusal);
bool guard_key(const Guard *g, const Caller *caller, Refusal *refusal);

// The origin that a browser may show the answer to; NULL: none but the server's own.
const char *guard_cors(const Guard *g, const Caller *caller);
