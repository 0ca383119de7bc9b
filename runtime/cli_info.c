// cli_info.c: --info, --version, --plan, --source: what a program is, from its package alone.
#include "cli_json.h"
#include "cli_prompt.h"
#include "cli_stats.h"
#include "cli_text.h"
#include "template.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const kv_names[] = { [PKG_F16] = "F16", [PKG_BF16] = "BF16", [PKG_F32] = "F32" };

// What is known of the weights without a device.
typedef struct WeightsState {
    char path[4096 + 8], text[4096 + 256];
    bool present, matches;
    uint64_t bytes;
} WeightsState;

static WeightsState look_at_weights(const Cli *cli, const Package *p)
{
    const PkgPlan *plan = p->plan;
    WeightsState state;
    WeightsFile file;
    RtError error;
    RtStatus status;
    uint64_t seed;
    memset(&state, 0, sizeof state);
    if (weights_random(cli->weights, &seed, &status, &error)) {
        snprintf(state.text, sizeof state.text, "made from seed %llu", (unsigned long long)seed);
        return state;
    }
    char program[4096];
    const ssize_t bytes = readlink("/proc/self/exe", program, sizeof program - 1);
    program[bytes > 0 ? bytes : 0] = 0;
    const bool inside = !cli->weights && p->weights.at;
    snprintf(state.path, sizeof state.path, "%s%s", cli->weights ? cli->weights : program,
             cli->weights || inside ? "" : ".llmw");
    state.present = inside || access(state.path, F_OK) == 0;
    status = inside ? weights_inside(&file, p->weights, state.path, plan, cli->name, &error)
                    : weights_open(&file, state.path, plan, cli->name, &error);
    if (status == RT_OK) {
        state.matches = true;
        state.bytes = file.header->bytes;
        snprintf(state.text, sizeof state.text, "%s: %s bytes, from %.*s", inside ? "in the program" : state.path,
                 count_text(file.header->bytes).text, (int)sizeof file.header->source, file.header->source);
        weights_close(&file);
    } else if (state.present) {
        snprintf(state.text, sizeof state.text, "%s", error.text);
    } else {
        snprintf(state.text, sizeof state.text, "none yet; add them with: %.900s", error.advice);
    }
    return state;
}

static void print_schedules(const Package *p)
{
    for (uint32_t i = 0; i < p->plan->schedules; ++i) {
        const PkgSchedule *s = &p->schedules[i];
        printf("%-13s %s: contexts %u to %u, %u workers of %u threads, %s bytes shared, %u waves, predicted %s ms\n",
               i ? "" : "schedules", s->name, s->ctx_min, s->ctx_max, s->workers, s->threads,
               count_text(s->smem_bytes).text, s->token_waves, figure_ms(1e-3 * s->token_us).text);
    }
}

static void print_memory(const Package *p)
{
    const PkgPlan *plan = p->plan;
    printf("%-13s %s bytes: %s weights + %s state\n", "memory", count_text(plan->state_at + plan->state_bytes).text,
           count_text(plan->weight_bytes).text, count_text(plan->state_bytes).text);
    const struct {
        const char *what;
        uint64_t at, bytes;
    } parts[] = {
        { "request", plan->request_at, sizeof(Request) },
        { "logits", plan->logits_at, plan->vocab * sizeof(float) },
        { "rope table", plan->rope_at, (uint64_t)plan->context * plan->head_dim * sizeof(float) },
        { "K/V cache", plan->kv_at, plan->kv_bytes },
        { "keys", plan->keys_at, weights_keys_count(p) * sizeof(uint64_t) },
        { "choosable", plan->selectable_at, ((uint64_t)plan->vocab + 7) / 8 },
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        printf("%-13s   %-10s at %14s, %14s bytes\n", "", parts[i].what, count_text(plan->state_at + parts[i].at).text,
               count_text(parts[i].bytes).text);
    printf("%-13s %s, %s bytes a position\n", "K/V", kv_names[plan->kv_format], count_text(package_kv_bytes(p)).text);
}

static void print_ids(const char *what, const uint32_t *ids, uint32_t n)
{
    printf("%-13s", what);
    for (uint32_t i = 0; i < n; ++i)
        printf(" %u", ids[i]);
    printf("%s\n", n ? "" : " none");
}

static void print_template(const Package *p)
{
    Template t;
    size_t bytes;
    const bool opened = template_open(&t, p->chat_template.at, p->chat_template.bytes);
    const char *source = template_source(&t, &bytes);
    printf("%-13s ", "chat template");
    if (opened)
        print_clean(stdout, source, bytes);
    else
        printf("%s", p->chat_template.at ? "broken" : "none");
    putchar('\n');
}

static void print_tokenizer(const Package *p)
{
    TokenizerView view;
    RtStatus status;
    RtError error;
    if (prompt_tokenizer(p, &view, &status, &error))
        printf("%-13s %s, %u ids, bos %d\n", "tokenizer", package_tokenizer_kind(view.head), view.head->vocab,
               view.head->bos);
    else if (status != RT_OK)
        printf("%-13s %s\n", "tokenizer", error.text);
    else
        printf("%-13s none%s%.*s\n", "tokenizer", p->no_tokenizer.bytes ? ": " : "", (int)p->no_tokenizer.bytes,
               p->no_tokenizer.bytes ? (const char *)p->no_tokenizer.at : "");
}

static void print_text(const Package *p, const WeightsState *weights)
{
    const PkgPlan *plan = p->plan;
    printf("%-13s %s: %u layers, hidden %u, %u heads, %u K/V heads of %u, feed-forward %u, vocabulary %u%s\n", "model",
           plan->name, plan->layers, plan->hidden, plan->heads, plan->kv_heads, plan->head_dim, plan->ffn, plan->vocab,
           plan->tied_embedding ? ", tied embedding" : "");
    if (plan->device == PKG_CPU)
        printf("%-13s %s (%s)\n", "target", plan->target, plan->gpu);
    else
        printf("%-13s %s (%s), sm_%u, %u SMs\n", "target", plan->target, plan->gpu, plan->sm, plan->sms);
    printf("%-13s %u\n", "context", plan->context);
    print_memory(p);
    print_schedules(p);
    if (plan->device == PKG_CPU)
        printf("%-13s none: " NO_FLOOR "\n", "floor");
    else if (plan->dram_gbs > 0)
        printf("%-13s %s%s ms at context 1, %s%s ms at %u; %.1f GB/s (%s)\n", "floor",
               plan->dram_gbs_measured ? "" : "~", figure_ms(floor_ms(p, 1, plan->dram_gbs)).text,
               plan->dram_gbs_measured ? "" : "~", figure_ms(floor_ms(p, plan->context, plan->dram_gbs)).text,
               plan->context, plan->dram_gbs, plan->dram_gbs_measured ? "measured" : "data sheet");
    print_ids("eos", plan->eos, plan->eos_count);
    print_tokenizer(p);
    print_template(p);
    printf("%-13s %s\n", "licence", p->license.at ? "--license prints it" : "the model came with none");
    printf("%-13s ", "weights");
    print_clean(stdout, weights->text, strlen(weights->text));
    putchar('\n');
    printf("%-13s model %016llx, matrices %016llx, plan %016llx, source %016llx\n", "fingerprints",
           (unsigned long long)plan->model_fingerprint, (unsigned long long)plan->matrix_fingerprint,
           (unsigned long long)plan->plan_fingerprint, (unsigned long long)plan->source_digest);
    printf("%-13s %s bytes", "code", count_text(p->image.bytes).text);
    if (plan->registers)
        printf(", %u registers a thread", plan->registers);
    printf("\n%-13s llmc %s, package version %d\n", "made by", plan->version, PKG_VERSION);
}

static void json_field(const char *name, uint64_t value)
{
    printf(",\"%s\":%llu", name, (unsigned long long)value);
}

static void json_word(const char *name, const char *text)
{
    printf(",\"%s\":", name);
    json_text(stdout, text);
}

static void json_fingerprint(const char *name, uint64_t value)
{
    printf(",\"%s\":\"%016llx\"", name, (unsigned long long)value);
}

static void json_schedules(const Package *p)
{
    printf(",\"schedules\":[");
    for (uint32_t i = 0; i < p->plan->schedules; ++i) {
        const PkgSchedule *s = &p->schedules[i];
        printf("%s{\"name\":", i ? "," : "");
        json_text(stdout, s->name);
        json_field("ctx_min", s->ctx_min);
        json_field("ctx_max", s->ctx_max);
        json_field("workers", s->workers);
        json_field("threads", s->threads);
        json_field("smem_bytes", s->smem_bytes);
        json_field("waves", s->token_waves);
        printf(",\"predicted_us\":");
        json_number(stdout, s->token_us);
        printf("}");
    }
    printf("]");
}

static void print_json(const Package *p, const WeightsState *weights)
{
    const PkgPlan *plan = p->plan;
    const struct {
        const char *name;
        uint64_t value;
    } facts[] = {
        { "sm", plan->sm },
        { "sms", plan->sms },
        { "layers", plan->layers },
        { "hidden", plan->hidden },
        { "heads", plan->heads },
        { "kv_heads", plan->kv_heads },
        { "head_dim", plan->head_dim },
        { "ffn", plan->ffn },
        { "vocab", plan->vocab },
        { "context", plan->context },
        { "model_context", plan->model_context },
        { "weight_bytes", plan->weight_bytes },
        { "state_bytes", plan->state_bytes },
        { "device_bytes", plan->state_at + plan->state_bytes },
        { "kv_bytes", plan->kv_bytes },
        { "kv_bytes_per_position", package_kv_bytes(p) },
        { "stream_bytes_per_token", package_stream_bytes(p) },
        { "parameter_bytes", plan->parameter_bytes },
        { "image_bytes", p->image.bytes },
        { "registers", plan->registers },
    };
    printf("{\"format\":1");
    json_word("model", plan->name);
    json_word("target", plan->target);
    json_word("gpu", plan->gpu);
    json_word("device", plan->device == PKG_CPU ? "cpu" : "cuda");
    json_word("version", plan->version);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; ++i)
        json_field(facts[i].name, facts[i].value);
    printf(",\"tied_embedding\":%s", plan->tied_embedding ? "true" : "false");
    json_word("kv_type", kv_names[plan->kv_format]);
    printf(",\"dram_gbs\":");
    json_number(stdout, plan->dram_gbs);
    printf(",\"dram_gbs_measured\":%s,\"bos\":%d,\"eos\":", plan->dram_gbs_measured ? "true" : "false", plan->bos);
    json_ids(stdout, plan->eos, (int)plan->eos_count);
    json_schedules(p);
    json_fingerprint("model_fingerprint", plan->model_fingerprint);
    json_fingerprint("matrix_fingerprint", plan->matrix_fingerprint);
    json_fingerprint("plan_fingerprint", plan->plan_fingerprint);
    json_fingerprint("source_digest", plan->source_digest);
    printf(",\"tokenizer\":%s,\"chat_template\":%s,\"license\":%s,\"weights\":{\"present\":%s,\"matches\":%s",
           p->tokenizer.at ? "true" : "false", p->chat_template.at ? "true" : "false", p->license.at ? "true" : "false", weights->present ? "true" : "false",
           weights->matches ? "true" : "false");
    json_word("path", weights->path);
    json_word("text", weights->text);
    printf("}}\n");
}

int cli_info(Cli *cli)
{
    Package package;
    int code = 0;
    if (!cli_package(cli, &package, &code))
        return code;
    const PkgPlan *plan = package.plan;
    if (cli->version && !cli->json) {
        printf("%s for %s, compiled by llmc %s\n", plan->name, plan->target, plan->version);
    } else {
        const WeightsState weights = look_at_weights(cli, &package);
        if (cli->json)
            print_json(&package, &weights);
        else
            print_text(&package, &weights);
    }
    package_close(&package);
    return 0;
}

int cli_print_section(Cli *cli)
{
    Package package;
    int code = 0;
    if (!cli_package(cli, &package, &code))
        return code;
    const PackageBytes section = cli->plan      ? package.plan_json
                                 : cli->license ? package.license
                                                : package.source;
    if (section.at) {
        fwrite(section.at, 1, section.bytes, stdout);
    } else if (cli->license) {
        cli_note(cli, "the model came with no licence file");
    } else {
        RtError error;
        rt_fail(&error, ERR_PACKAGE, "this program does not carry its %s", cli->plan ? "plan" : "source");
        code = cli_complain(cli, &error);
    }
    package_close(&package);
    return code;
}
