// weights.c: reads NAME.llmw, or the same in a program, and copies its streams to the device.
#include "weights.h"
#include "hash.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void weights_advise(RtError *error, const PkgPlan *plan, const char *program)
{
    rt_advise(error, "llmc pack MODEL --into %.255s   (MODEL: the Hugging Face folder or GGUF file of %s)", program,
              plan->name);
}

static RtStatus broken(RtError *error, const WeightsFile *w, const PkgPlan *plan, const char *program, const char *what)
{
    rt_fail(error, ERR_WEIGHTS_FILE, "%.600s: %s", w->name, what);
    weights_advise(error, plan, program);
    return RT_FAILED;
}

static RtStatus check_header(const WeightsFile *w, const PkgPlan *plan, const char *program, RtError *error)
{
    const WeightsHeader *h = (const WeightsHeader *)w->map;
    if (w->map_bytes < sizeof *h || memcmp(h->magic, WEIGHTS_MAGIC, sizeof h->magic) != 0)
        return broken(error, w, plan, program, "not a weights file of llmc");
    if (h->version != WEIGHTS_VERSION) {
        rt_fail(error, ERR_WEIGHTS_FILE, "%.600s: format version %u; this program reads version %d", w->name,
                h->version, WEIGHTS_VERSION);
        weights_advise(error, plan, program);
        return RT_FAILED;
    }
    if (h->matrix_fingerprint != plan->matrix_fingerprint) {
        rt_fail(error, ERR_FINGERPRINT,
                "%.600s was packed for another program: fingerprint %016llx, this one has %016llx", w->name,
                (unsigned long long)h->matrix_fingerprint, (unsigned long long)plan->matrix_fingerprint);
        weights_advise(error, plan, program);
        return RT_FAILED;
    }
    if (h->bytes != plan->weight_bytes || h->blocks != (h->bytes + WEIGHTS_BLOCK - 1) / WEIGHTS_BLOCK ||
        h->at % WEIGHTS_ALIGN || h->at < sizeof *h + h->blocks * sizeof(uint64_t))
        return broken(error, w, plan, program, "the sizes in its header do not fit the program");
    if (h->at > w->map_bytes || h->bytes != w->map_bytes - h->at) {
        rt_fail(error, ERR_WEIGHTS_FILE, "%.600s is %s: %s bytes, its header says %s", w->name,
                h->at > w->map_bytes || h->bytes > w->map_bytes - h->at ? "cut off" : "too long",
                count_text(w->map_bytes).text, count_text(h->at + h->bytes).text);
        weights_advise(error, plan, program);
        return RT_FAILED;
    }
    if (package_digest(w->map + sizeof *h, h->blocks * sizeof(uint64_t)) != h->digest)
        return broken(error, w, plan, program, "its sums are damaged: digests differ");
    return RT_OK;
}

// Checks what is mapped; closes it where that fails.
static RtStatus take_map(WeightsFile *w, const PkgPlan *plan, const char *program, RtError *error)
{
    madvise((void *)w->map, w->map_bytes, MADV_WILLNEED);
    if (check_header(w, plan, program, error) != RT_OK) {
        weights_close(w);
        return RT_FAILED;
    }
    w->header = (const WeightsHeader *)w->map;
    w->sums = (const uint64_t *)(w->map + sizeof *w->header);
    w->streams = w->map + w->header->at;
    return RT_OK;
}

RtStatus weights_open(WeightsFile *w, const char *path, const PkgPlan *plan, const char *program, RtError *error)
{
    memset(w, 0, sizeof *w);
    w->name = path;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe of this name has no writer to wait for
    if (fd < 0) {
        rt_fail(error, ERR_WEIGHTS_MISSING, "no weights: %.600s: %s", path, strerror(errno));
        weights_advise(error, plan, program);
        return RT_FAILED;
    }
    struct stat st;
    void *map = MAP_FAILED;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
        map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    if (map == MAP_FAILED)
        return broken(error, w, plan, program, "it is empty or not a file");
    w->map = map;
    w->map_bytes = (size_t)st.st_size;
    return take_map(w, plan, program, error);
}

RtStatus weights_inside(WeightsFile *w, PackageBytes weights, const char *path, const PkgPlan *plan,
                        const char *program, RtError *error)
{
    *w = (WeightsFile){ .map = weights.at, .map_bytes = weights.bytes, .inside = true, .name = path };
    return take_map(w, plan, program, error);
}

void weights_close(WeightsFile *w)
{
    if (w->map && !w->inside)
        munmap((void *)w->map, w->map_bytes);
    memset(w, 0, sizeof *w);
}

static uint64_t block_bytes(const WeightsFile *w, uint32_t block)
{
    const uint64_t at = (uint64_t)block * WEIGHTS_BLOCK;
    return w->header->bytes - at < WEIGHTS_BLOCK ? w->header->bytes - at : WEIGHTS_BLOCK;
}

static RtStatus check_block(const WeightsFile *w, uint32_t block, RtError *error)
{
    const uint64_t at = (uint64_t)block * WEIGHTS_BLOCK;
    if (package_sum(w->streams + at, block_bytes(w, block)) == w->sums[block])
        return RT_OK;
    rt_fail(error, ERR_DIGEST, "%.600s@0x%llx: block %u of %u is damaged: sums differ", w->name,
            (unsigned long long)(w->header->at + at), block, w->header->blocks);
    rt_advise(error, "pack the weights again, or copy the file again from where it was made");
    return RT_FAILED;
}

// The sums are taken beside the copy: each reads all bytes once, and a copy that turns out damaged is not used.
typedef struct SumCheck {
    const WeightsFile *file;
    RtStatus status;
    RtError error;
} SumCheck;

static void *check_blocks(void *context)
{
    SumCheck *check = context;
    for (uint32_t block = 0; block < check->file->header->blocks && check->status == RT_OK; ++block)
        check->status = check_block(check->file, block, &check->error);
    return NULL;
}

static RtStatus copy_blocks(const WeightsFile *w, const DeviceApi *api, Device *device, uint64_t to,
                            RtProgress *progress, void *context, RtError *error)
{
    for (uint32_t block = 0; block < w->header->blocks; ++block) {
        const uint64_t at = (uint64_t)block * WEIGHTS_BLOCK, bytes = block_bytes(w, block);
        if (api->upload(device, to + at, w->streams + at, bytes, error) != RT_OK)
            return RT_FAILED;
        if (progress)
            progress(context, "weights", at + bytes, w->header->bytes);
    }
    return RT_OK;
}

RtStatus weights_upload(const WeightsFile *w, const DeviceApi *api, Device *device, uint64_t to, RtProgress *progress,
                        void *context, RtError *error)
{
    SumCheck check = { .file = w };
    pthread_t thread;
    const bool beside = pthread_create(&thread, NULL, check_blocks, &check) == 0;
    const RtStatus copied = copy_blocks(w, api, device, to, progress, context, error);
    if (beside)
        pthread_join(thread, NULL);
    else
        check_blocks(&check);
    if (copied != RT_OK || check.status == RT_OK)
        return copied;
    *error = check.error;
    return RT_FAILED;
}

bool weights_random(const char *text, uint64_t *seed, RtStatus *status, RtError *error)
{
    static const char prefix[] = "random:";
    *status = RT_OK;
    if (!text || strncmp(text, prefix, sizeof prefix - 1) != 0)
        return false;
    const char *digits = text + sizeof prefix - 1;
    char *end = NULL;
    errno = 0;
    *seed = strtoull(digits, &end, 10);
    if (*digits < '0' || *digits > '9' || *end || errno)
        *status =
            rt_fail(error, ERR_OPTION_VALUE, "--weights is \"%.100s\": expected random:SEED with a whole number", text);
    return true;
}

uint64_t weights_keys_count(const Package *p)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < p->plan->matrices; ++i)
        count += p->matrices[i].layers;
    for (uint32_t i = 0; i < p->plan->norms; ++i)
        count += p->norms[i].layers;
    return count;
}

void weights_keys(const Package *p, uint64_t seed, uint64_t *keys)
{
    for (uint32_t i = 0; i < p->plan->matrices; ++i)
        for (uint32_t layer = 0; layer < p->matrices[i].layers; ++layer)
            *keys++ = hash_key(seed, tensor_name(p->matrices[i].tensor, layer).text);
    for (uint32_t i = 0; i < p->plan->norms; ++i)
        for (uint32_t layer = 0; layer < p->norms[i].layers; ++layer)
            *keys++ = hash_key(seed, tensor_name(p->norms[i].tensor, layer).text);
}
