// squeeze.c: what was squeezed comes back; bytes that were changed or cut are refused or give the bytes asked for, and never leave them.
#include "../test.h"

#include "../../compiler/package/squeeze.h"
#include "../../runtime/hash.h"
#include "../../runtime/squeeze.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 70000, GUARD = 64 };

static unsigned char bytes[MOST], back[MOST + 1 + GUARD];

// unsqueeze() into the first `whole` bytes of back[]; what lies behind them stays.
static bool unsqueeze_guarded(size_t whole, const unsigned char *from, size_t n)
{
    memset(back + whole, 0xa5, GUARD);
    const bool ok = unsqueeze(back, whole, from, n);
    for (int i = 0; i < GUARD; ++i)
        ASSERT_INT(0xa5, back[whole + (size_t)i]);
    return ok;
}

// Squeezes the first n of bytes[]; they come back, and not as one byte more or fewer. Returns the squeezed bytes.
static size_t round_trip(size_t n)
{
    Arena *a = arena_new();
    const Bytes s = squeeze(a, bytes, n);
    ASSERT(unsqueeze_guarded(n, s.at, s.bytes));
    ASSERT(memcmp(back, bytes, n) == 0);
    ASSERT(!unsqueeze_guarded(n + 1, s.at, s.bytes));
    if (n)
        ASSERT(!unsqueeze_guarded(n - 1, s.at, s.bytes));
    arena_free(a);
    return s.bytes;
}

static void random_bytes(size_t n, unsigned values)
{
    for (size_t i = 0; i < n; ++i)
        bytes[i] = (unsigned char)(hash_mix(i * 3 + values) % values);
}

static void test_round_trips(void)
{
    for (size_t n = 0; n < 40; ++n) {
        memset(bytes, 'a', n);
        round_trip(n);
        random_bytes(n, 256);
        round_trip(n);
    }
    memset(bytes, 0, MOST);
    ASSERT(round_trip(MOST) < 16);
    random_bytes(MOST, 256);
    ASSERT(round_trip(MOST) < MOST + 16);
    random_bytes(MOST, 3);
    ASSERT(round_trip(MOST) < MOST * 2 / 3);
    // The second half says the first again, from far back.
    random_bytes(MOST / 2, 256);
    memcpy(bytes + MOST / 2, bytes, MOST / 2);
    ASSERT(round_trip(MOST) < MOST / 2 + 32);
    size_t n = 0;
    for (int line = 0; n < MOST - 100; ++line)
        n += (size_t)snprintf((char *)bytes + n, 100, "{\"wave\": %d, \"worker\": %d, \"row\": %d}\n", line / 128, line % 128, line * 7);
    ASSERT(round_trip(n) < n / 3);
}

static void test_damaged(void)
{
    enum { WHOLE = 3000 };
    Arena *a = arena_new();
    random_bytes(WHOLE, 5);
    const Bytes s = squeeze(a, bytes, WHOLE);
    unsigned char *other = malloc(s.bytes);
    int refused = 0;
    for (size_t cut = 0; cut < s.bytes; ++cut)
        ASSERT(!unsqueeze_guarded(WHOLE, s.at, cut));
    for (size_t bit = 0; bit < s.bytes * 8; ++bit) {
        memcpy(other, s.at, s.bytes);
        other[bit / 8] ^= (unsigned char)(1 << bit % 8);
        refused += !unsqueeze_guarded(WHOLE, other, s.bytes);
    }
    ASSERT(refused > (int)s.bytes);
    // A copy from before the beginning, from nowhere; a number without an end; steps for fewer bytes.
    static const unsigned char wrong[][8] = { { 1, 'a', 2, 2 }, { 1, 'a', 2, 0 }, { 0x81, 0x80, 0x80, 0x80, 0x80, 0x80 }, { 2, 'a', 'b', 0 } };
    static const size_t wrong_bytes[] = { 4, 4, 6, 4 };
    for (int i = 0; i < 4; ++i)
        ASSERT(!unsqueeze_guarded(3, wrong[i], wrong_bytes[i]));
    static const unsigned char good[] = { 1, 'a', 2, 1 };
    ASSERT(unsqueeze_guarded(3, good, sizeof good));
    ASSERT(memcmp(back, "aaa", 3) == 0);
    free(other);
    arena_free(a);
}

int main(void)
{
    test_round_trips();
    test_damaged();
    return test_failed;
}
