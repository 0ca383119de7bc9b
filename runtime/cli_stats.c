// cli_stats.c: the line of statistics after a run.
#include "cli_stats.h"
#include "cli_json.h"
#include "sampling.h"

#include <math.h>

void stats_take(Stats *s, const Generate *g)
{
    s->prompt_seconds = g->prompt_seconds;
    s->decode_seconds = g->decode_seconds;
    s->first_seconds = g->first_seconds;
    s->made = g->made;
    s->steps = g->steps;
    s->first = g->first;
    s->last = g->last;
    s->drawn = g->sampling && g->sampling->temperature > 0;
    s->seed = s->drawn ? g->sampling->seed : 0;
}

double floor_ms(const Package *p, double context, double gbs)
{
    return gbs > 0 ? ((double)package_stream_bytes(p) + (double)package_kv_bytes(p) * context) / (gbs * 1e6) : 0;
}

double floor_gbs(const Package *p)
{
    return p->plan->device == PKG_CPU ? 0 : p->plan->dram_gbs;
}

double stats_step_ms(const Stats *s)
{
    return s->steps ? 1e3 * s->decode_seconds / s->steps : 0;
}

double stats_mean_context(const Stats *s)
{
    return s->first + 0.5 * (s->steps + 1);
}

uint64_t hash_ids_start(void)
{
    return package_digest("", 0);
}

uint64_t hash_ids_add(uint64_t hash, const void *from, size_t bytes)
{
    const unsigned char *p = from;
    for (size_t i = 0; i < bytes; ++i)
        hash = (hash ^ p[i]) * 0x100000001b3ull;
    return hash;
}

FigureText figure_rate(double per_second)
{
    FigureText f;
    if (per_second >= 1000)
        snprintf(f.text, sizeof f.text, "%s tok/s", count_text((uint64_t)llround(per_second)).text);
    else
        snprintf(f.text, sizeof f.text, "%.1f tok/s", per_second);
    return f;
}

FigureText figure_time(double seconds)
{
    FigureText f;
    if (seconds >= 0.1)
        snprintf(f.text, sizeof f.text, "%.2f s", seconds);
    else
        snprintf(f.text, sizeof f.text, seconds >= 0.01 ? "%.0f ms" : "%.2f ms", 1e3 * seconds);
    return f;
}

FigureText figure_ms(double ms)
{
    FigureText f;
    snprintf(f.text, sizeof f.text, ms >= 10 ? "%.2f" : ms >= 0.1 ? "%.3f" : "%.5f", ms);
    return f;
}

void stats_figures(const Package *p, const Stats *s, FILE *out)
{
    fprintf(out, "prompt %d tok %s (%s)", s->prompt_tokens, figure_time(s->prompt_seconds).text,
            figure_rate(s->prompt_tokens / s->prompt_seconds).text);
    if (s->made)
        fprintf(out, " | first token %s", figure_time(s->first_seconds).text);
    fprintf(out, " | decode %d tok", s->made);
    if (s->steps) {
        const double ms = stats_step_ms(s), floor = floor_ms(p, stats_mean_context(s), floor_gbs(p));
        fprintf(out, " %s ms/tok (%s) | context %d", figure_ms(ms).text, figure_rate(1e3 / ms).text, s->last);
        if (floor > 0)
            fprintf(out, " | floor %s%s ms, %.0f%%", p->plan->dram_gbs_measured ? "" : "~", figure_ms(floor).text,
                    100 * floor / ms);
    }
}

void stats_print(const Package *p, const Stats *s, FILE *out)
{
    fprintf(out, "llmc: load %.2f s (driver %.2f, weights %.2f) | ", s->load.total, s->load.driver, s->load.weights);
    stats_figures(p, s, out);
    if (s->drawn)
        fprintf(out, " | seed %llu", (unsigned long long)s->seed);
    fprintf(out, " | hash %016llx\n", (unsigned long long)s->hash);
}

void stats_json(const Package *p, const Stats *s, FILE *out)
{
    const double ms = stats_step_ms(s);
    const struct {
        const char *name;
        double value;
    } figures[] = {
        { "load_ms", 1e3 * s->load.total },
        { "load_driver_ms", 1e3 * s->load.driver },
        { "load_weights_ms", 1e3 * s->load.weights },
        { "prompt_n", s->prompt_tokens },
        { "prompt_ms", 1e3 * s->prompt_seconds },
        { "prompt_per_token_ms", 1e3 * s->prompt_seconds / s->prompt_tokens },
        { "prompt_per_second", s->prompt_tokens / s->prompt_seconds },
        { "first_token_ms", s->made ? 1e3 * s->first_seconds : NAN },
        { "predicted_n", s->made },
        { "predicted_ms", 1e3 * s->decode_seconds },
        { "predicted_per_token_ms", s->steps ? ms : NAN },
        { "predicted_per_second", s->steps ? 1e3 / ms : NAN },
        { "context", s->last },
        { "floor_ms", s->steps && floor_gbs(p) > 0 ? floor_ms(p, stats_mean_context(s), floor_gbs(p)) : NAN },
    };
    fputc('{', out);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; ++i) {
        fprintf(out, "%s\"%s\":", i ? "," : "", figures[i].name);
        json_number(out, figures[i].value);
    }
    fprintf(out, ",\"floor_rate_measured\":%s}", floor_gbs(p) > 0 && p->plan->dram_gbs_measured ? "true" : "false");
}
