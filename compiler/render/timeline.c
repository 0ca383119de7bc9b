// timeline.c: render_timeline(): a plan, and one measured token where there is one, -> SVG, through templates/timeline.svg. Here
// times are found, in microseconds; where they lie on the page is the template's.
#include "bind.h"
#include "engine.h"
#include "measured.h"

#include <lua.h>

// Text between tags, and in attributes.
static const char *escape(Arena *a, const char *text)
{
    Str out = str_new(a);
    for (const char *c = text; *c; ++c)
        str_add(&out, *c == '&' ? "&amp;" : *c == '<' ? "&lt;" : *c == '>' ? "&gt;" : *c == '"' ? "&quot;" : "%c", *c);
    return out.text;
}

static void add_bar(lua_State *L, int worker, double from, double us)
{
    lua_newtable(L);
    bind_int(L, "worker", worker);
    bind_float(L, "from", from);
    bind_float(L, "us", us);
    lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
}

static double floor_us(const Plan *p, const WaveLoad *l)
{
    return (double)l->all / (p->target->dram_gbs * 1e3);
}

// One wave of a panel as the plan sees it, from `at` on: the sync before it, and each worker's share of the work.
static void push_predicted(lua_State *L, const Plan *p, const Schedule *s, int index, double at)
{
    const Wave *w = &s->waves.at[index];
    const WaveLoad l = plan_wave_load(p, s, w);
    const double wait = plan_sync_us(p, s, index), sync = wait < w->us ? wait : w->us, work = w->us - sync;
    lua_newtable(L);
    bind_int(L, "wave", index + 1);
    bind_float(L, "from", at);
    bind_float(L, "us", w->us);
    bind_float(L, "sync_us", sync);
    bind_string(L, "title", escape(p->arena, str_format(p->arena, "%s (%s): %d tasks, %.3f MB, predicted %.2f us, ends in %s", w->what,
                                                        graph_describe(p->graph, &p->graph->ops.at[w->op]), w->tasks, (double)l.all / 1e6, w->us,
                                                        w->sync == SYNC_PACKETS ? "packets" : "a barrier")));
    lua_newtable(L);
    for (int i = 0; i < s->workers; ++i)
        if (l.works[i])
            add_bar(L, i, at + sync, l.most ? work * (double)l.of[i] / (double)l.most : work);
    lua_setfield(L, -2, "bars");
}

// The time at which the last worker has done with the wave; before the token's first: at which it begins.
static double wave_end(const Measured *m, int wave)
{
    double end = 0;
    for (int i = 0; i < m->schedule->workers; ++i) {
        const MeasuredWave *w = measured_at(m, i, wave < 0 ? 0 : wave);
        const double us = wave < 0 ? w->begin : w->done;
        end = us > end ? us : end;
    }
    return wave < 0 && m->first ? 0 : end;
}

// The same wave as it was measured; times from `start` on.
static void push_measured(lua_State *L, const Plan *p, const Measured *m, int index, int unrolled, double start)
{
    const double from = wave_end(m, unrolled - 1), to = wave_end(m, unrolled);
    lua_newtable(L);
    bind_int(L, "wave", index + 1);
    bind_float(L, "from", from - start);
    bind_float(L, "us", to - from);
    bind_string(L, "title", escape(p->arena, str_format(p->arena, "%s, measured: %.2f us from the end of the wave before", m->schedule->waves.at[index].what, to - from)));
    lua_newtable(L);
    lua_newtable(L); // stack: waits, work
    for (int i = 0; i < m->schedule->workers; ++i) {
        const MeasuredWave *w = measured_at(m, i, unrolled);
        const double begin = w->begin > start ? w->begin : start, ready = w->ready > begin ? w->ready : begin;
        add_bar(L, i, ready - start, w->done > ready ? w->done - ready : 0);
        lua_insert(L, -2);
        add_bar(L, i, begin - start, ready - begin);
        lua_insert(L, -2);
    }
    lua_setfield(L, -3, "work");
    lua_setfield(L, -2, "waits");
}

// Waves first .. first+waves-1, the measured ones from the unrolled wave `at` on.
static void push_panel(lua_State *L, const Plan *p, const Schedule *s, const Measured *m, int first, int waves, int at, const char *title)
{
    const double start = m ? wave_end(m, at - 1) : 0;
    double us = 0, ideal = 0;
    lua_newtable(L);
    bind_string(L, "title", title);
    lua_newtable(L);
    for (int i = 0; i < waves; ++i) {
        const WaveLoad l = plan_wave_load(p, s, &s->waves.at[first + i]);
        push_predicted(L, p, s, first + i, us);
        lua_rawseti(L, -2, i + 1);
        us += s->waves.at[first + i].us;
        ideal += floor_us(p, &l);
    }
    lua_setfield(L, -2, "predicted");
    lua_newtable(L);
    for (int i = 0; m && i < waves; ++i) {
        push_measured(L, p, m, first + i, at + i, start);
        lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, "measured");
    const double taken = m ? wave_end(m, at + waves - 1) - start : 0;
    bind_float(L, "us", us);
    bind_float(L, "measured_us", taken);
    bind_float(L, "ideal_us", ideal);
}

// A layer, of measured ones the middle one; and what comes behind the layers.
static void push_panels(lua_State *L, const Plan *p, const Schedule *s, const Measured *m)
{
    const Repeat *r = &s->repeats.at[0];
    const int layer = m ? r->layers / 2 : 0, after = r->first_wave + r->waves;
    const char *title = m ? str_format(p->arena, "layer %d (0 to %d)", layer, r->layers - 1) : str_format(p->arena, "one of %d layers", r->layers);
    lua_newtable(L);
    push_panel(L, p, s, m, r->first_wave, r->waves, r->first_wave + layer * r->waves, title);
    lua_rawseti(L, -2, 1);
    push_panel(L, p, s, m, after, s->waves.n - after, r->first_wave + r->layers * r->waves, "behind the layers");
    lua_rawseti(L, -2, 2);
    lua_setfield(L, -2, "panels");
}

// The whole token: one bar a wave, in a row of predicted ones and a row of measured ones. `worker` is the wave's number here.
static double push_strip(lua_State *L, const Schedule *s, const Measured *m, const char *key)
{
    const Repeat *r = &s->repeats.at[0];
    const int n = plan_token_waves(s);
    const double start = m ? wave_end(m, -1) : 0;
    double at = 0;
    lua_newtable(L);
    for (int i = 0; i < n; ++i) {
        const int inside = i - r->first_wave, in_layers = r->waves * r->layers;
        const int rolled = inside < 0 ? i : inside < in_layers ? r->first_wave + inside % r->waves : i - in_layers + r->waves;
        const double to = m ? wave_end(m, i) - start : at + s->waves.at[rolled].us, end = to > at ? to : at;
        add_bar(L, rolled, at, end - at);
        at = end;
    }
    lua_setfield(L, -2, key);
    return at;
}

// One line a rolled wave: what it is, and its times of a token together.
static void push_table(lua_State *L, const Plan *p, const Schedule *s, const Measured *m)
{
    lua_newtable(L);
    for (int i = 0; i < s->waves.n; ++i) {
        const Wave *w = &s->waves.at[i];
        const WaveLoad l = plan_wave_load(p, s, w);
        const int times = plan_wave_times(s, i);
        double measured = 0;
        const Repeat *r = &s->repeats.at[0];
        for (int k = 0; m && k < times; ++k) {
            const int unrolled = i < r->first_wave ? i : i < r->first_wave + r->waves ? i + k * r->waves : i + (r->layers - 1) * r->waves;
            measured += wave_end(m, unrolled) - wave_end(m, unrolled - 1);
        }
        lua_newtable(L);
        bind_string(L, "name", escape(p->arena, w->what));
        bind_int(L, "times", times);
        bind_float(L, "mb", times * (double)l.all / 1e6);
        bind_float(L, "ideal_us", times * floor_us(p, &l));
        bind_float(L, "predicted_us", times * w->us);
        bind_float(L, "measured_us", measured);
        lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, "waves");
}

Str render_timeline(Arena *a, const Plan *p, const Measured *m, const char *templates)
{
    const Schedule *s = m ? m->schedule : &p->schedules.at[0];
    lua_State *L = engine_open(a, templates);
    lua_newtable(L);
    bind_string(L, "title", escape(a, str_format(a, "%s on %s", p->model->name, p->target->name)));
    bind_string(L, "what", escape(a, str_format(a, "%s (contexts %d to %d, planned at %d), %d workers, %s, %s loads; streaming at %g GB/s%s", s->name,
                                                s->ctx_min, s->ctx_max, s->ctx_max, s->workers, s->sync == SYNC_PACKETS ? "packets" : "barriers", feed_name(s->feed),
                                                p->target->dram_gbs,
                                                m ? str_format(a, "; measured at %d on %s", m->context, m->device) : "")));
    bind_int(L, "workers", s->workers);
    bind_bool(L, "packets", s->sync == SYNC_PACKETS);
    bind_bool(L, "has_measured", m != NULL);
    push_table(L, p, s, m);
    push_panels(L, p, s, m);
    bind_float(L, "predicted_us", push_strip(L, s, NULL, "predicted"));
    lua_newtable(L);
    lua_setfield(L, -2, "measured");
    bind_float(L, "measured_us", m ? push_strip(L, s, m, "measured") : 0);
    const Source svg = engine_render(a, L, "timeline.svg", false);
    Str out = str_new(a);
    str_add_bytes(&out, svg.text, svg.bytes);
    return out;
}
