// weights.c: a weights file of several blocks: every sum is checked, every byte arrives, damage is named by its block.
#include "../test.h"

#include "../../runtime/weights.h"

#include <sys/mman.h>
#include <unistd.h>

enum { BLOCKS = 3, LAST_BYTES = 4096 + 8 + 3 };

typedef struct Copy {
    unsigned char *at;
    uint64_t bytes;
} Copy;

// Only upload is asked for; the device is where the bytes go.
static RtStatus take_upload(Device *d, uint64_t to, const void *from, size_t bytes, RtError *error)
{
    Copy *copy = (Copy *)(void *)d;
    (void)error;
    ASSERT(to - 1000 == copy->bytes);
    memcpy(copy->at + copy->bytes, from, bytes);
    copy->bytes += bytes;
    return RT_OK;
}

typedef struct Heard {
    int calls;
    uint64_t last, total;
} Heard;

static void hear(void *context, const char *what, uint64_t done, uint64_t total)
{
    Heard *h = context;
    ASSERT_STR("weights", what);
    ASSERT(done > h->last && done <= total);
    h->last = done;
    h->total = total;
    ++h->calls;
}

int main(void)
{
    const uint64_t bytes = (uint64_t)(BLOCKS - 1) * WEIGHTS_BLOCK + LAST_BYTES;
    const PkgPlan plan = { .name = "tiny", .weight_bytes = bytes, .matrix_fingerprint = 77 };
    unsigned char *file = malloc(WEIGHTS_ALIGN + bytes), *streams = file + WEIGHTS_ALIGN;
    for (uint64_t i = 0; i < bytes; ++i)
        streams[i] = (unsigned char)(i * 7 + i / 251);
    uint64_t sums[BLOCKS];
    for (int i = 0; i < BLOCKS; ++i)
        sums[i] = package_sum(streams + (uint64_t)i * WEIGHTS_BLOCK, i == BLOCKS - 1 ? LAST_BYTES : WEIGHTS_BLOCK);
    const WeightsHeader header = { .magic = WEIGHTS_MAGIC,
                                   .version = WEIGHTS_VERSION,
                                   .blocks = BLOCKS,
                                   .matrix_fingerprint = 77,
                                   .bytes = bytes,
                                   .at = WEIGHTS_ALIGN,
                                   .digest = package_digest(sums, sizeof sums) };
    memset(file, 0, WEIGHTS_ALIGN);
    memcpy(file, &header, sizeof header);
    memcpy(file + sizeof header, sums, sizeof sums);
    char path[64];
    const int fd = memfd_create("weights", 0);
    ASSERT(write(fd, file, WEIGHTS_ALIGN + bytes) == (ssize_t)(WEIGHTS_ALIGN + bytes));
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);

    WeightsFile w;
    RtError error;
    Heard heard = { 0 };
    const DeviceApi api = { .upload = take_upload };
    Copy copy = { malloc(bytes), 0 };
    ASSERT_INT(RT_OK, weights_open(&w, path, &plan, "tiny", &error));
    ASSERT_INT(RT_OK, weights_upload(&w, &api, (Device *)(void *)&copy, 1000, hear, &heard, &error));
    ASSERT_INT(BLOCKS, heard.calls);
    ASSERT(heard.last == bytes && heard.total == bytes && copy.bytes == bytes);
    ASSERT(memcmp(copy.at, streams, bytes) == 0);
    weights_close(&w);

    // One bit, at each end of each block and in the odd bytes at the very end.
    const uint64_t places[] = { 0, WEIGHTS_BLOCK - 1, WEIGHTS_BLOCK, 2 * (uint64_t)WEIGHTS_BLOCK + 4100, bytes - 1 };
    const int blocks[] = { 0, 0, 1, 2, 2 };
    for (int i = 0; i < 5; ++i) {
        unsigned char damaged = streams[places[i]] ^ 4;
        char words[160];
        ASSERT(pwrite(fd, &damaged, 1, (off_t)(WEIGHTS_ALIGN + places[i])) == 1);
        snprintf(words, sizeof words, "%s@0x%llx: block %d of 3 is damaged: sums differ", path,
                 WEIGHTS_ALIGN + (unsigned long long)blocks[i] * WEIGHTS_BLOCK, blocks[i]);
        copy.bytes = 0;
        ASSERT_INT(RT_OK, weights_open(&w, path, &plan, "tiny", &error));
        ASSERT_INT(RT_FAILED, weights_upload(&w, &api, (Device *)(void *)&copy, 1000, NULL, NULL, &error));
        ASSERT_INT(ERR_DIGEST, error.id);
        ASSERT_STR(words, error.text);
        weights_close(&w);
        ASSERT(pwrite(fd, streams + places[i], 1, (off_t)(WEIGHTS_ALIGN + places[i])) == 1);
    }
    free(copy.at);
    free(file);
    return test_failed;
}
