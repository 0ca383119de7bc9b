// tiny_program.c: builds the package and the weights of the stand-in model.
#include "tiny_program.h"
#include "../../runtime/half.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

// The embedding in rows, the layers' matrices in lanes, down in slices of 40 and 24 columns; BF16, and F16 for q.
static void tables(FakeImage *image)
{
    static const uint32_t ints[FAKE_INTS] = { 0, 32, 0, 40, 64, 0, 0, 0 };
    static const struct {
        const char *tensor;
        uint32_t role, rows, cols;
    } matrices[FAKE_MATRICES] = {
        { "model.embed_tokens.weight", PKG_EMBED, TINY_VOCAB, 32 },
        { "model.layers.%d.self_attn.q_proj.weight", PKG_Q, 32, 32 },
        { "model.layers.%d.self_attn.k_proj.weight", PKG_K, 16, 32 },
        { "model.layers.%d.self_attn.v_proj.weight", PKG_V, 16, 32 },
        { "model.layers.%d.self_attn.o_proj.weight", PKG_O, 32, 32 },
        { "model.layers.%d.mlp.gate_proj.weight", PKG_GATE, 64, 32 },
        { "model.layers.%d.mlp.up_proj.weight", PKG_UP, 64, 32 },
        { "model.layers.%d.mlp.down_proj.weight", PKG_DOWN, 32, 64 },
    };
    static const char *const norms[FAKE_NORMS] = { "model.layers.%d.input_layernorm.weight",
                                                   "model.layers.%d.post_attention_layernorm.weight",
                                                   "model.norm.weight" };
    uint64_t at = 0;
    memcpy(image->ints, ints, sizeof ints);
    for (int i = 0; i < FAKE_MATRICES; ++i) {
        PkgMatrix *m = &image->matrices[i];
        const bool embed = i == 0, down = i == FAKE_MATRICES - 1;
        snprintf(m->tensor, sizeof m->tensor, "%s", matrices[i].tensor);
        m->role = matrices[i].role;
        m->format = m->role == PKG_Q ? PKG_F16 : PKG_BF16;
        m->layout = embed ? PKG_LAYOUT_ROWS : PKG_LAYOUT_LANES;
        m->layers = embed ? 1 : 2;
        m->rows = matrices[i].rows;
        m->cols = matrices[i].cols;
        m->slices = down ? 2 : 1;
        m->slice_cols = down ? 40 : m->cols;
        m->first_slice = down ? 2 : 0;
        m->stride = (m->rows + 31) / 32 * 32 * m->slice_cols * 2;
        m->bytes = m->layer_stride = m->slices * m->stride;
        m->base = at;
        at += m->layers * m->layer_stride;
    }
    for (int i = 0; i < FAKE_NORMS; ++i) {
        PkgNorm *n = &image->norms[i];
        snprintf(n->tensor, sizeof n->tensor, "%s", norms[i]);
        n->role = PKG_NORM_ATTENTION + (uint32_t)i;
        n->layers = i == FAKE_NORMS - 1 ? 1 : 2;
        n->cols = 32;
        n->base = at;
        n->layer_stride = 128;
        at += n->layers * n->layer_stride;
    }
    image->plan.weight_bytes = at;
    image->plan.state_at = (at + 255) / 256 * 256;
}

static void schedules(FakeImage *image)
{
    image->schedules[0] = (PkgSchedule){ .name = "decode_96",
                                         .ctx_min = 1,
                                         .ctx_max = 96,
                                         .workers = 4,
                                         .threads = 64,
                                         .smem_bytes = 65536,
                                         .parts = 1,
                                         .first_wave = 0,
                                         .waves = 6,
                                         .first_task = 0,
                                         .tasks = 8,
                                         .repeat_first = 1,
                                         .repeat_waves = 3,
                                         .token_waves = 9,
                                         .attend_heads = 2,
                                         .attend_lanes = 2,
                                         .attend_chunk = 2,
                                         .attend_streams = 16,
                                         .attend_tile = 32,
                                         .reduce_splits = 1,
                                         .ffn_parts = 2,
                                         .token_us = 500 };
    image->schedules[1] = image->schedules[0];
    snprintf(image->schedules[1].name, sizeof image->schedules[1].name, "decode_256");
    image->schedules[1].ctx_min = 97;
    image->schedules[1].ctx_max = TINY_CONTEXT;
    image->schedules[1].smem_bytes = 1024;
}

static void plan_facts(PkgPlan *p)
{
    *p = (PkgPlan){ .name = "tiny",
                    .target = "fake-gpu",
                    .gpu = "NVIDIA Fake 86",
                    .version = LLMC_VERSION_TEXT,
                    .device = PKG_CUDA,
                    .sm = 86,
                    .sms = 20,
                    .layers = 2,
                    .hidden = 32,
                    .heads = 2,
                    .kv_heads = 1,
                    .head_dim = 2 * FAKE_PAIRS,
                    .ffn = 64,
                    .vocab = TINY_VOCAB,
                    .context = TINY_CONTEXT,
                    .model_context = 2 * TINY_CONTEXT,
                    .norm_eps = 1e-5f,
                    .tied_embedding = 1,
                    .kv_format = PKG_F16,
                    .bos = -1,
                    .eos = { TINY_EOS },
                    .eos_count = 1,
                    .matrices = FAKE_MATRICES,
                    .norms = FAKE_NORMS,
                    .schedules = FAKE_SCHEDULES,
                    .waves = 6,
                    .tasks = 8,
                    .request_at = 0,
                    .logits_at = 512,
                    .rope_at = 1024,
                    .keys_at = 17408,
                    .check_at = 17600,
                    .selectable_at = 17616,
                    .bias_at = 17664,
                    .history_at = 18048,
                    .kv_at = 19072,
                    .kv_row_bytes = 32,
                    .kv_head_stride = 8192,
                    .kv_layer_stride = 8192,
                    .kv_v_offset = 16384,
                    .kv_bytes = 32768,
                    .parameter_bytes = 19000,
                    .token_bytes = 49152 + 640,
                    .model_fingerprint = 0x1111,
                    .matrix_fingerprint = 0x2222,
                    .plan_fingerprint = 0x3333,
                    .source_digest = 0x4444,
                    .dram_gbs = 200,
                    .dram_gbs_measured = 0,
                    .registers = 64 };
    p->state_bytes = p->kv_at + p->kv_bytes;
}

void tiny_defaults(TinyProgram *t)
{
    static const char *const names[6] = { "embed", "qkv", "attend", "ffn", "head", "select" };
    memset(t, 0, sizeof *t);
    memcpy(t->image.magic, "FAKEIMG", 8);
    plan_facts(&t->image.plan);
    tables(&t->image);
    schedules(&t->image);
    for (uint32_t i = 0; i < 6; ++i) {
        snprintf(t->waves[i].what, sizeof t->waves[i].what, "%s", names[i]);
        t->waves[i].op = i == 0 ? PKG_OP_EMBED : PKG_OP_GEMV;
    }
    for (uint32_t i = 0; i < 8; ++i)
        t->tasks[i] = (PkgTask){ .wave = i % 6, .worker = i % 4, .row = 0, .rows = 8, .part = 0, .parts = 1 };
    for (int i = 0; i < FAKE_PAIRS; ++i)
        t->rope[i] = pow(10000, -2.0 * i / (2 * FAKE_PAIRS));
    t->tokenizer = true;
    t->no_tokenizer = "SentencePiece is not in this version";
    t->version = PKG_VERSION;
}

typedef struct Out {
    unsigned char *at;
    size_t bytes, stub_bytes;
    PkgSection sections[TINY_SECTIONS];
    uint32_t n;
} Out;

static void put(Out *out, const void *from, size_t bytes, size_t align)
{
    const size_t at = (out->stub_bytes + out->bytes + align - 1) / align * align - out->stub_bytes;
    out->at = realloc(out->at, at + bytes);
    memset(out->at + out->bytes, 0, at - out->bytes);
    memcpy(out->at + at, from, bytes);
    out->bytes = at + bytes;
}

static void put_section(Out *out, const TinyProgram *t, uint32_t kind, const void *from, size_t bytes)
{
    if (t->skip == kind)
        return;
    for (int i = 0; i < (t->twice == kind ? 2 : 1); ++i) {
        put(out, from, bytes, kind == PKG_WEIGHTS ? WEIGHTS_ALIGN : 64);
        out->sections[out->n++] = (PkgSection){ .kind = kind,
                                                .at = out->stub_bytes + out->bytes - bytes,
                                                .bytes = bytes,
                                                .digest = kind == PKG_WEIGHTS ? 0 : package_sum(from, bytes) };
    }
}

// Token id i is the byte 32 + i; id 5, which ends a text, is special and has no byte. Every text is one word.
static void put_tokenizer(Out *out, const TinyProgram *t)
{
    struct {
        PkgTokenizer head;
        uint32_t starts[TINY_VOCAB + 1];
        uint16_t page_of[PKG_CLASS_PAGES], moves[2];
        uint8_t types[TINY_VOCAB], text[TINY_VOCAB], page[PKG_PAGE];
    } tables_;
    memset(&tables_, 0, sizeof tables_);
    tables_.head = (PkgTokenizer){ .model = PKG_MERGES,
                                   .growth = 1,
                                   .form_growth = 1,
                                   .symbols = PKG_SYMBOLS_BYTES,
                                   .vocab = TINY_VOCAB,
                                   .bos = -1,
                                   .unknown = -1,
                                   .eos_count = 1,
                                   .eos = { TINY_EOS },
                                   .classes = 1,
                                   .pages = 1,
                                   .states = 1 };
    const char *base = (const char *)&tables_;
    tables_.head.text_at = (uint32_t)((const char *)tables_.text - base);
    tables_.head.text_bytes = TINY_VOCAB;
    tables_.head.token_at = (uint32_t)((const char *)tables_.starts - base);
    tables_.head.type_at = (uint32_t)((const char *)tables_.types - base);
    tables_.head.page_of_at = (uint32_t)((const char *)tables_.page_of - base);
    tables_.head.pages_at = (uint32_t)((const char *)tables_.page - base);
    tables_.head.moves_at = (uint32_t)((const char *)tables_.moves - base);
    memset(tables_.head.byte_id, 0xff, sizeof tables_.head.byte_id);
    for (uint32_t i = 0; i < TINY_VOCAB; ++i) {
        tables_.text[i] = (uint8_t)(32 + i);
        tables_.starts[i + 1] = i + 1;
        if (i != TINY_EOS)
            tables_.head.byte_id[32 + i] = i;
    }
    tables_.types[TINY_EOS] = tables_.types[TINY_SPECIAL] = TOKEN_SPECIAL;
    put_section(out, t, PKG_TOKENIZER, &tables_, sizeof tables_);
}

unsigned char *tiny_package(const TinyProgram *t, size_t stub_bytes, size_t *bytes)
{
    static const char plan_json[] = "{\"version\":1}\n", source[] = "// decode.cu\n";
    Out out = { .stub_bytes = stub_bytes };
    put_section(&out, t, PKG_PLAN, &t->image.plan, sizeof t->image.plan);
    put_section(&out, t, PKG_MATRICES, t->image.matrices, sizeof t->image.matrices);
    put_section(&out, t, PKG_NORMS, t->image.norms, sizeof t->image.norms);
    put_section(&out, t, PKG_SCHEDULES, t->image.schedules, sizeof t->image.schedules);
    put_section(&out, t, PKG_WAVES, t->waves, sizeof t->waves);
    put_section(&out, t, PKG_TASKS, t->tasks, sizeof t->tasks);
    put_section(&out, t, PKG_INTS, t->image.ints, sizeof t->image.ints);
    put_section(&out, t, PKG_ROPE, t->rope, sizeof t->rope);
    put_section(&out, t, PKG_IMAGE, &t->image, sizeof t->image);
    if (t->tokenizer)
        put_tokenizer(&out, t);
    else if (t->no_tokenizer)
        put_section(&out, t, PKG_NO_TOKENIZER, t->no_tokenizer, strlen(t->no_tokenizer));
    put_section(&out, t, PKG_PLAN_JSON, plan_json, sizeof plan_json - 1);
    put_section(&out, t, PKG_SOURCE, source, sizeof source - 1);
    if (t->license)
        put_section(&out, t, PKG_LICENSE, t->license, strlen(t->license));
    if (t->bundled) {
        size_t weights_bytes;
        unsigned char *weights = tiny_weights(t, t->bundled, &weights_bytes);
        put_section(&out, t, PKG_WEIGHTS, weights, weights_bytes);
        free(weights);
    }
    PkgHeader header = { .magic = PKG_MAGIC, .version = t->version, .sections = out.n };
    put(&out, &header, sizeof header, 64);
    PkgFooter footer = { .header_at = stub_bytes + out.bytes - sizeof header, .magic = PKG_END_MAGIC };
    const size_t table_at = out.bytes - sizeof header;
    put(&out, out.sections, out.n * sizeof *out.sections, 1);
    footer.digest = package_digest(out.at + table_at, out.bytes - table_at);
    put(&out, &footer, sizeof footer, 1);
    *bytes = out.bytes;
    return out.at;
}

static unsigned char *read_stub(const char *path, size_t *bytes)
{
    FILE *in = path ? fopen(path, "rb") : NULL;
    *bytes = 0;
    if (!in)
        return NULL;
    fseek(in, 0, SEEK_END);
    *bytes = (size_t)ftell(in);
    rewind(in);
    unsigned char *stub = malloc(*bytes);
    *bytes = fread(stub, 1, *bytes, in);
    fclose(in);
    return stub;
}

int tiny_write(const TinyProgram *t, const char *stub, const char *path)
{
    size_t stub_bytes, bytes;
    unsigned char *code = read_stub(stub, &stub_bytes);
    const uint64_t at = t->hole ? (stub_bytes + t->hole) / WEIGHTS_ALIGN * WEIGHTS_ALIGN : stub_bytes;
    unsigned char *package = tiny_package(t, at, &bytes);
    FILE *out = fopen(path, "wb");
    const int failed = !out || (stub_bytes && fwrite(code, 1, stub_bytes, out) != stub_bytes) ||
                       fseeko(out, (off_t)at, SEEK_SET) != 0 || fwrite(package, 1, bytes, out) != bytes;
    free(code);
    free(package);
    return (out && fclose(out)) || failed || chmod(path, 0755);
}

// "%d" replaced by one digit.
static uint64_t key_of(uint64_t seed, const char *tensor, uint32_t layer)
{
    char name[96];
    snprintf(name, sizeof name, "%s", tensor);
    char *hole = strstr(name, "%d");
    if (hole) {
        hole[0] = (char)('0' + layer);
        memmove(hole + 1, hole + 2, strlen(hole + 2) + 1);
    }
    return hash_key(seed, name);
}

static void pack_matrix(const FakeImage *image, const PkgMatrix *m, uint64_t seed, unsigned char *weights)
{
    const uint32_t *first = image->ints + m->first_slice;
    for (uint32_t layer = 0; layer < m->layers; ++layer) {
        const uint64_t key = key_of(seed, m->tensor, layer);
        for (uint32_t s = 0; s < m->slices; ++s)
            for (uint32_t row = 0; row < m->rows; ++row)
                for (uint32_t c = 0; first[s] + c < first[s + 1]; ++c) {
                    const float value = hash_weight(key, row, first[s] + c, hash_scale((int)m->cols));
                    const uint16_t half = m->format == PKG_F16 ? f16_from_float(value) : bf16_from_float(value);
                    size_t at = (row * m->slice_cols + c) * 2;
                    if (m->layout == PKG_LAYOUT_LANES)
                        at = s * m->stride + (row / 32 * m->slice_cols / 8 + c / 8) * 512 + row % 32 * 16 + c % 8 * 2;
                    memcpy(weights + m->base + layer * m->layer_stride + at, &half, 2);
                }
    }
}

static void pack_norm(const PkgNorm *n, uint64_t seed, unsigned char *weights)
{
    for (uint32_t layer = 0; layer < n->layers; ++layer)
        for (uint32_t col = 0; col < n->cols; ++col) {
            const float value = hash_norm(key_of(seed, n->tensor, layer), col);
            memcpy(weights + n->base + layer * n->layer_stride + col * 4, &value, 4);
        }
}

unsigned char *tiny_weights(const TinyProgram *t, uint64_t seed, size_t *file_bytes)
{
    const PkgPlan *plan = &t->image.plan;
    WeightsHeader header = { .magic = WEIGHTS_MAGIC,
                             .version = WEIGHTS_VERSION,
                             .blocks = 1,
                             .matrix_fingerprint = plan->matrix_fingerprint ^ t->wrong_weights,
                             .bytes = plan->weight_bytes,
                             .at = WEIGHTS_ALIGN,
                             .source = "seed" };
    const size_t bytes = WEIGHTS_ALIGN + plan->weight_bytes;
    unsigned char *file = calloc(1, bytes), *weights = file + WEIGHTS_ALIGN;
    for (int i = 0; i < FAKE_MATRICES; ++i)
        pack_matrix(&t->image, &t->image.matrices[i], seed, weights);
    for (int i = 0; i < FAKE_NORMS; ++i)
        pack_norm(&t->image.norms[i], seed, weights);
    const uint64_t sum = package_sum(weights, plan->weight_bytes);
    header.digest = package_digest(&sum, sizeof sum);
    memcpy(file, &header, sizeof header);
    memcpy(file + sizeof header, &sum, sizeof sum);
    *file_bytes = bytes;
    return file;
}

int tiny_write_weights(const TinyProgram *t, uint64_t seed, const char *path)
{
    size_t bytes;
    unsigned char *file = tiny_weights(t, seed, &bytes);
    FILE *out = fopen(path, "wb");
    const int failed = !out || fwrite(file, 1, bytes, out) != bytes;
    free(file);
    return (out && fclose(out)) || failed;
}
