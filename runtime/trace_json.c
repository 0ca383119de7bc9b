// trace_json.c: a trace in Chrome's format: {"traceEvents": [...]}, times in microseconds.
#include "cli_json.h"
#include "trace.h"

// Microseconds with the nanoseconds behind the point, whatever the locale.
static void print_us(FILE *out, const char *key, uint64_t ns)
{
    fprintf(out, ",\"%s\":%llu.%03llu", key, (unsigned long long)(ns / 1000), (unsigned long long)(ns % 1000));
}

static void print_event(FILE *out, const char *name, const char *kind, uint32_t worker, uint64_t from, uint64_t to)
{
    fprintf(out, ",\n{\"name\":\"%s\",\"cat\":\"%s\",\"ph\":\"X\",\"pid\":0,\"tid\":%u", name, kind, worker);
    print_us(out, "ts", from);
    print_us(out, "dur", to - from);
}

static void print_wave(const Trace *t, uint32_t token, uint32_t worker, uint32_t wave, FILE *out)
{
    const TraceRecord *r = trace_at(t, token, worker, wave);
    const WavePlace place = package_wave(t->package, t->schedule, wave);
    print_event(out, t->package->waves[t->schedule->first_wave + place.rolled].what, "wave", worker, r->begin, r->done);
    fprintf(out, ",\"args\":{\"token\":%u,\"layer\":%d,\"wave\":%u}}", t->first + token, place.layer, place.rolled);
    if (r->ready == r->begin)
        return;
    print_event(out, "wait", "wait", worker, r->begin, r->ready);
    fputc('}', out);
}

static void print_head(const Trace *t, const char *device, FILE *out)
{
    const PkgPlan *plan = t->package->plan;
    fprintf(out, "{\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"llmc_trace\":1,\"model\":");
    json_text(out, plan->name);
    fprintf(out, ",\"target\":");
    json_text(out, plan->target);
    fprintf(out, ",\"device\":");
    json_text(out, device);
    fprintf(out, ",\"plan\":\"%016llx\",\"schedule\":", (unsigned long long)plan->plan_fingerprint);
    json_text(out, t->schedule->name);
    fprintf(out, ",\"position\":%u,\"launch_tokens\":%u,\"first_token\":%u,\"tokens\":%u,\"workers\":%u,\"clock_step_ns\":%llu},\n",
            t->position, t->launch_tokens, t->first, t->tokens, t->schedule->workers, (unsigned long long)t->tick_ns);
    fprintf(out, "\"traceEvents\":[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":0,\"args\":{\"name\":");
    json_text(out, plan->name);
    fprintf(out, "}}");
}

void trace_write(const Trace *t, const char *device, FILE *out)
{
    print_head(t, device, out);
    for (uint32_t worker = 0; worker < t->schedule->workers; ++worker)
        fprintf(out, ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":0,\"tid\":%u,\"args\":{\"name\":\"worker %u\"}}", worker, worker);
    for (uint32_t worker = 0; worker < t->schedule->workers; ++worker)
        for (uint32_t token = 0; token < t->tokens; ++token)
            for (uint32_t wave = 0; wave < t->schedule->token_waves; ++wave)
                print_wave(t, token, worker, wave, out);
    fprintf(out, "\n]}\n");
}
