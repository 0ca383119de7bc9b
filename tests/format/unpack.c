// unpack.c: each format that is only read gives the values that the `gguf` package gives, bit for bit (golden.txt).
#include "../test.h"

#include "../../compiler/format/format.h"

enum { LINE_BYTES = 8192, BLOCK_MOST = 256 };

static int hex_bytes(const char *hex, uint8_t *out, int most)
{
    int n = 0;
    for (unsigned byte; n < most && sscanf(hex + 2 * n, "%2x", &byte) == 1; ++n)
        out[n] = (uint8_t)byte;
    return n;
}

static void check_case(const char *name, const char *block_hex, const char *values_hex)
{
    // One byte in front: blocks of a file lie at any address.
    uint8_t block[1 + BLOCK_MOST], want[BLOCK_MOST * 4];
    float got[BLOCK_MOST];
    const Format *f = format_find(name);
    ASSERT(f != NULL);
    if (!f)
        return;
    ASSERT_INT(f->block_bytes, hex_bytes(block_hex, block + 1, BLOCK_MOST));
    ASSERT_INT(f->block * 4, hex_bytes(values_hex, want, (int)sizeof want));
    f->unpack(block + 1, got, f->block);
    for (int i = 0; i < f->block; ++i)
        if (memcmp(&got[i], want + 4 * i, 4) != 0) {
            float wanted;
            memcpy(&wanted, want + 4 * i, 4);
            printf("%s: value %d is %.9g, wanted %.9g\n", name, i, (double)got[i], (double)wanted);
            test_failed = 1;
            return;
        }
}

int main(int argc, char **argv)
{
    static char line[LINE_BYTES], name[16], block[LINE_BYTES], values[LINE_BYTES];
    FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;
    ASSERT(f != NULL);
    int cases = 0;
    for (; f && fgets(line, sizeof line, f); ++cases) {
        ASSERT_INT(3, sscanf(line, "%15s %s %s", name, block, values));
        check_case(name, block, values);
    }
    ASSERT_INT(22, cases);
    if (f)
        fclose(f);
    return test_failed;
}
