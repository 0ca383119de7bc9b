// package.h: the layout of a package, the data behind a program's code: the one thing compiler and runtime share
// (with errors.h and half.h). Little-endian, fixed-width fields, natural alignment, sections at multiples of 64.
//
//   stub executable | section ... section | PkgHeader | PkgSection[sections] | PkgFooter
//
// Weights (WeightsHeader, sums, then the streams at a multiple of 4096) lie in NAME.llmw beside the program, or in its last
// section, which begins at a multiple of 4096. Tables and tokenizer are used where they lie; texts and the image are squeezed.
#pragma once
#include "package_text.h"

#define LLMC_VERSION_TEXT "0.1.0"

enum {
    PKG_VERSION = 6,
    REQUEST_TOKENS = 64, // most tokens of one launch
};

// ---- what host and kernel exchange ------------------------------------------------------------------------------

// Lies in device memory at PkgPlan.request_at; templates/device/request.cuh declares the same fields.
// The host writes it before each launch and reads it back after.
typedef struct Request {
    uint32_t position;    // of the first token of this launch
    uint32_t tokens;      // tokens of this launch, 1 to REQUEST_TOKENS
    uint32_t forced;      // the first `forced` tokens come from ids[]; at least 1
    uint32_t all_logits;  // 1: the head runs for every token; 0: from the last forced one on
    uint32_t eos_count;   // ids in eos[]
    uint32_t arrived;     // grid barrier: arrivals of this launch; the host writes 0
    uint32_t id;          // the token that the next embed looks up; the host writes ids[0]
    uint32_t done;        // set in the kernel: no token follows; the host writes 0
    uint32_t tag;         // packets: tag of the first wave; no tag is used twice while an old packet may still lie there
    uint32_t choose;      // CHOOSE_*; 0: the largest logit
    uint64_t fault;       // smallest fault word; the host writes FAULT_NONE
    uint64_t mailbox;     // device address of a Mailbox, which the host can read during the launch
    uint64_t seed;        // of what is drawn: random bits are a function of it and the position
    uint32_t met;         // meetings of workers that draw: arrivals of this launch; the host writes 0
    float shrink, grow, presence, frequency; // penalties of an id that stands in the window: factor above 0 and of others; what is taken off
    uint32_t window;      // positions up to the newest that penalties look at
    uint32_t top_k;       // entries that stay; 0: all
    uint32_t top_p;       // share of the weight that stays, of 2^32; 0: all
    float reach;          // distance below the largest value that stays (min-p); infinite: all
    float scale;          // log2(e) / temperature
    uint32_t logprobs;    // largest logits that are told of each token with CHOOSE_TOLD, at most LOGPROBS_MOST
    uint32_t ids[REQUEST_TOKENS];
    uint32_t eos[REQUEST_EOS];
} Request;

// Request.choose: VALUES: by logits with bias and penalties; DRAWN: drawn, else the largest; PENALTIES: the window is counted; TOLD: what
// log-probabilities are made of is told.
enum { CHOOSE_VALUES = 1, CHOOSE_DRAWN = 2, CHOOSE_PENALTIES = 4, CHOOSE_TOLD = 8 };

// What is told of one token: logits as the head made them, over the ids that may be chosen.
enum { LOGPROBS_MOST = 20 };
typedef struct Told {
    float largest, chosen;       // logits
    uint64_t weight;             // sum of e^(logit - largest) over all ids, in units of 2^-40
    uint32_t ids[LOGPROBS_MOST]; // the largest first, equal ones the lowest first; as many as Request.logprobs says
    float logits[LOGPROBS_MOST];
} Told;

// In host memory that the device writes.
typedef struct Mailbox {
    uint32_t stop; // the host sets 1: leave after the current token
    uint32_t unused;
    uint32_t ids[REQUEST_TOKENS]; // ids[i]: chosen after token i of the launch; the host writes ID_NONE before, so that the id
                                  // alone says that the token is complete; 0 where the head did not run
    Told told[REQUEST_TOKENS];    // with CHOOSE_TOLD; written before the id
} Mailbox;

// A fault word: token of the launch << 48 | unrolled wave << 32 | worker << 16 | cause. The smallest one is kept, so that
// which worker was first does not matter.
#define FAULT_NONE UINT64_MAX
#define ID_NONE UINT32_MAX
enum { FAULT_NOT_FINITE = 1, FAULT_KV_RANGE = 2, FAULT_WATCHDOG = 3 };

// ---- the plan, as far as the runtime and the reference need it ---------------------------------------------------

enum { PKG_F16 = 0, PKG_BF16 = 1, PKG_F32 = 2 };                // number formats of matrices and of the K/V cache
enum { PKG_LAYOUT_ROWS = 0, PKG_LAYOUT_LANES = 1, PKG_LAYOUT_FRAGMENTS = 2 }; // as compiler/kernels/kernel.h
enum { PKG_BARRIER = 0, PKG_PACKETS = 1 };                      // how a schedule's waves end
enum { PKG_CUDA = 0, PKG_CPU = 1 };                             // what the image is: cubin | shared object
enum PkgRole { PKG_EMBED, PKG_Q, PKG_K, PKG_V, PKG_O, PKG_GATE, PKG_UP, PKG_DOWN, PKG_HEAD, // matrices
               PKG_NORM_ATTENTION, PKG_NORM_FFN, PKG_NORM_FINAL };                          // norm vectors

typedef struct PkgPlan {
    char name[64], target[64], gpu[64]; // model; target; the card's name for people
    char version[16];                   // of llmc
    uint32_t device;                    // PKG_CUDA | PKG_CPU
    uint32_t sm, sms;                   // what the target has
    uint32_t layers, hidden, heads, kv_heads, head_dim, ffn, vocab;
    uint32_t context, model_context;    // positions the K/V cache holds; the most that the model is made for
    float norm_eps;
    uint32_t tied_embedding;
    uint32_t kv_format;                 // PKG_F16 ...
    int32_t bos;                        // -1: none
    uint32_t eos[REQUEST_EOS], eos_count;
    uint32_t matrices, norms, schedules, waves, tasks; // entries of the sections below
    // One device allocation: weights at 0, then state at state_at. The offsets below count from state_at.
    uint64_t weight_bytes, state_at, state_bytes;
    uint64_t request_at, logits_at, rope_at, kv_at, keys_at, check_at, selectable_at, bias_at, history_at;
    uint64_t kv_layer_stride, kv_head_stride, kv_row_bytes, kv_v_offset, kv_bytes; // see KvMap in compiler/kernels/kernel.h
    uint64_t parameter_bytes;           // parameters at 2 bytes, without padding
    uint64_t token_bytes;               // of those, what one token streams: the weights' part of the floor
    uint64_t model_fingerprint, matrix_fingerprint, plan_fingerprint, source_digest;
    double dram_gbs;                    // the target's streaming rate, 10^9 bytes a second
    uint32_t dram_gbs_measured;
    uint32_t registers;                 // of a thread, from ptxas; 0 on the CPU
} PkgPlan;

typedef struct PkgMatrix {
    char tensor[96];      // Hugging Face name; "%d" stands for the layer where layers > 1 or the name has one
    uint32_t role, format, layout, layers, rows, cols, slices, slice_cols;
    uint32_t first_slice; // index into PKG_INTS of slices + 1 first columns
    uint32_t deal, stack_row, stack_rows, thread, weave; // FRAGMENTS: see Matrix in compiler/kernels/kernel.h; 0 elsewhere
    uint64_t base, stride, layer_stride, bytes;
} PkgMatrix;

// FRAGMENTS: the place in memory, counted in units, of unit `unit` of a stack of `units` that are dealt to `deal` workers.
static inline uint64_t package_unit_place(uint32_t units, uint32_t deal, uint32_t unit)
{
    const uint32_t least = units / deal, more = units % deal, early = more * (least + 1);
    if (unit < early)
        return (uint64_t)(unit % (least + 1)) * deal + unit / (least + 1);
    return (uint64_t)((unit - early) % least) * deal + more + (unit - early) / least;
}

typedef struct PkgNorm {
    char tensor[96];
    uint32_t role, layers, cols, pad;
    uint64_t base, layer_stride; // from the start of the weights
} PkgNorm;

#define PKG_ENTRY "decode" // the kernel of all schedules

typedef struct PkgSchedule {
    char name[32];
    uint32_t ctx_min, ctx_max;     // contexts (positions attended, the new one included) it is for
    uint32_t workers, threads, smem_bytes;
    uint32_t parts;                // context parts of a K/V head
    uint32_t first_wave, waves;    // rolled, in PKG_WAVES
    uint32_t first_task, tasks;    // in PKG_TASKS
    uint32_t repeat_first, repeat_waves; // the rolled waves that stand for one layer
    uint32_t token_waves;          // unrolled
    uint32_t ffn_parts;            // partial sums of the feed-forward
    uint32_t attend_heads, attend_lanes, attend_chunk, attend_streams, attend_tile; // see Tiling
    uint32_t reduce_splits;
    uint32_t sync, pad;            // PKG_BARRIER | PKG_PACKETS
    double token_us;               // predicted at ctx_max
} PkgSchedule;

typedef struct PkgWave {
    char what[24];
    uint32_t op; // PkgOp
    uint32_t first_task, tasks, smem_bytes;
} PkgWave;

// A program of -ftrace has PKG_TRACE: PkgTrace, then PkgTraceWave[plan.waves]. Its kernels write, in the state at `at`, [workers]
// the time (in ns, of the device's clock) at which each worker began the launch, and at stamps_at TraceStamp
// [token of the launch][workers][waves]; workers and unrolled waves are the most of any schedule.
typedef struct PkgTrace {
    uint64_t at, stamps_at, bytes; // bytes: of all
    uint32_t workers, waves;
} PkgTrace;

// One worker in one wave, which it began when it had done the one before. A wave that waits for nothing leaves `ready` alone:
// what stands there lies before its begin.
typedef struct TraceStamp {
    uint64_t ready, done; // its inputs were there; it had done
} TraceStamp;

// What a rolled wave streams over all workers, and how long the plan says that it takes.
typedef struct PkgTraceWave {
    uint64_t weight_bytes;       // of token_bytes: parameters at 2 bytes, without padding
    uint64_t kv_bytes;           // of K and V, for each position
    double first_us, last_us;    // predicted at the schedule's ctx_min and ctx_max
    double latency_us;           // of either: until the last worker has its inputs
} PkgTraceWave;

enum PkgOp { PKG_OP_EMBED, PKG_OP_GEMV, PKG_OP_ATTEND, PKG_OP_FFN, PKG_OP_REDUCE, PKG_OP_SELECT, PKG_OP_GATED };

typedef struct PkgTask {
    uint32_t wave, worker, row, rows, part, parts;
} PkgTask;

// ---- the file -----------------------------------------------------------------------------------------------------

enum PkgKind {
    PKG_PLAN = 1,  // PkgPlan
    PKG_MATRICES,  // PkgMatrix[]
    PKG_NORMS,     // PkgNorm[]
    PKG_SCHEDULES, // PkgSchedule[]
    PKG_WAVES,     // PkgWave[]
    PKG_TASKS,     // PkgTask[]
    PKG_INTS,      // uint32_t[]
    PKG_ROPE,      // double[head_dim / 2]: radians a position
    PKG_IMAGE,     // cubin or shared object
    PKG_TOKENIZER, // PkgTokenizer
    PKG_PLAN_JSON, // text
    PKG_SOURCE,    // text: decode.cu
    PKG_MAP,       // text: decode.map
    PKG_REPORT,    // text: report.json
    PKG_NO_TOKENIZER, // text: why there is none
    PKG_LICENSE,   // text: the licence files of the model
    PKG_WEIGHTS,   // as NAME.llmw; it has sums of its own, PkgSection.digest is 0
    PKG_TEMPLATE,  // PkgTemplate (template_code.h)
    PKG_TRACE,     // PkgTrace, PkgTraceWave[]
    PKG_KINDS      // one behind the last
};

#define PKG_MAGIC "LLMCPKG"
#define PKG_END_MAGIC "LLMCEND"

typedef struct PkgHeader {
    char magic[8];
    uint32_t version, sections;
} PkgHeader;

typedef struct PkgSection {
    uint32_t kind;
    uint32_t whole;     // bytes that the section stands for where it is squeezed (squeeze.h); 0: it stands as it is
    uint64_t at, bytes; // at: from the start of the file
    uint64_t digest;    // package_sum of the bytes
} PkgSection;

typedef struct PkgFooter {
    uint64_t header_at; // from the start of the file
    uint64_t digest;    // package_digest of header and section table
    char magic[8];
} PkgFooter;

// ---- NAME.llmw ----------------------------------------------------------------------------------------------------

#define WEIGHTS_MAGIC "LLMCWTS"
enum { WEIGHTS_VERSION = 1, WEIGHTS_ALIGN = 4096 };

typedef struct WeightsHeader {
    char magic[8];
    uint32_t version, blocks;    // blocks: sums behind this header
    uint64_t matrix_fingerprint; // of the program it belongs to
    uint64_t bytes;              // of the streams, at `at` in the file
    uint64_t at;
    uint64_t digest;             // package_digest over the sums
    char source[64];             // where the weights came from, for people
} WeightsHeader;

// Behind the header: uint64_t sums[blocks], the sum of each WEIGHTS_BLOCK bytes as package_sum gives it.
enum { WEIGHTS_BLOCK = 1 << 24 };

// Sum of 8-byte words, each times an odd number made of its index: cheap, finds swapped and changed words, and can be
// taken in any order, so also on the device, and of parts: here of `bytes` that begin with word `first`. `bytes` is rounded
// up with zeros.
static inline uint64_t package_sum_from(uint64_t first, const void *from, uint64_t bytes)
{
    const unsigned char *p = (const unsigned char *)from;
    uint64_t sum = 0, words = bytes / 8;
    for (uint64_t i = 0; i < words; ++i) {
        uint64_t word;
        __builtin_memcpy(&word, p + i * 8, 8);
        sum += (word ^ (word >> 32)) * ((first + i) * 2 + 0x9e3779b97f4a7c15ull);
    }
    uint64_t last = 0;
    __builtin_memcpy(&last, p + words * 8, bytes % 8);
    return sum + (last ^ (last >> 32)) * ((first + words) * 2 + 0x9e3779b97f4a7c15ull);
}

static inline uint64_t package_sum(const void *from, uint64_t bytes)
{
    return package_sum_from(0, from, bytes);
}

// FNV-1a, 64 bits.
static inline uint64_t package_digest(const void *from, uint64_t bytes)
{
    const unsigned char *p = (const unsigned char *)from;
    uint64_t hash = 0xcbf29ce484222325ull;
    for (uint64_t i = 0; i < bytes; ++i)
        hash = (hash ^ p[i]) * 0x100000001b3ull;
    return hash;
}
