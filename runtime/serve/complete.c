// complete.c: the requests that the model answers: from the body to ids, through the queue, and back as text.
#include "complete.h"
#include "conversation.h"
#include "../chat_prompt.h"
#include "../cli_prompt.h"
#include "../rt_state.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

// ---- the prompt --------------------------------------------------------------------------------------------------

static bool encode(Exchange *e, const char *text, size_t bytes)
{
    Job *job = &e->job;
    job->ids = malloc(tokenizer_room(&e->server->view, bytes) * sizeof *job->ids);
    const int64_t n = job->ids ? tokenizer_encode(&e->server->view, text, bytes, true, job->ids, &e->lost) : -1;
    job->n = (int)n;
    return n >= 0 || refuse_no_memory(&e->refusal);
}

static bool take_ids(Exchange *e, const JsonValue *list)
{
    Job *job = &e->job;
    const uint32_t vocab = e->server->package.plan->vocab;
    job->ids = malloc((list->count + 1) * sizeof *job->ids);
    if (!job->ids)
        return refuse_no_memory(&e->refusal);
    for (const JsonValue *v = json_first(list); v; v = json_next(&e->json, v)) {
        if (v->number >= vocab)
            return refuse(&e->refusal, "invalid_value", "prompt", "id %.0f at index %d: the model has ids below %u",
                          v->number, job->n, vocab);
        job->ids[job->n++] = (uint32_t)v->number;
    }
    return true;
}

static bool check_bias(Exchange *e)
{
    const uint32_t vocab = e->server->package.plan->vocab;
    for (int i = 0; i < e->ask.sampling.biases; ++i)
        if (e->ask.sampling.bias[i].id >= vocab)
            return refuse(&e->refusal, "invalid_value", "logit_bias", "logit_bias names id %u: the model has ids below %u",
                          e->ask.sampling.bias[i].id, vocab);
    return true;
}

static bool check_prompt(Exchange *e)
{
    const int context = e->server->context, n = e->job.n;
    const char *param = e->ask.kind == ASK_CHAT ? "messages" : "prompt";
    if (n == 0)
        return refuse(&e->refusal, "invalid_value", param,
                      "%s is empty, and this model has no token that begins a text", param);
    return n <= context ||
           refuse(&e->refusal, "context_length_exceeded", param,
                  "%s has %d tokens, the context of this program holds %d; nothing is cut off", param, n, context);
}

// ---- the answer --------------------------------------------------------------------------------------------------

static bool has_failed(const Exchange *e)
{
    return e->job.status != RT_OK || e->job.stopped;
}

static void refuse_failed(Exchange *e)
{
    const RtError *error = &e->job.error;
    if (!e->job.stopped && error->id == ERR_USAGE)
        refuse(&e->refusal, "invalid_value", "logit_bias", "%s", error->text);
    else if (e->job.stopped)
        refuse_as(&e->refusal, 503, "server_error", "stopping", "the server stops");
    else
        refuse_as(&e->refusal, 500, "server_error", "model_error", "%s [E%04d]", error->text, (int)error->id);
}

// Waits until there is text behind e->seen (wanted) or the job is done. False: the client has gone.
static bool wait_for_job(Exchange *e, bool text)
{
    Queue *q = &e->server->queue;
    while (!peer_gone(e->peer)) {
        const JobState state = queue_wait(q, &e->job, text ? e->seen : SIZE_MAX);
        if (state == JOB_DONE || (text && queue_has_text(q, &e->job, e->seen)))
            return true;
    }
    queue_cancel(q, &e->job);
    return false;
}

static int answer_at_once(Exchange *e)
{
    const Job *job = &e->job;
    if (!wait_for_job(e, false))
        return MHD_NO;
    if (has_failed(e)) {
        refuse_failed(e);
        return http_refuse(e);
    }
    if (http_write(e))
        answer_whole(&e->head, job, job->text ? job->text : "", job->text_bytes, e->out);
    return http_written(e, 200, "application/json");
}

static void write_end(Exchange *e, FILE *out)
{
    const Ask *ask = &e->ask;
    if (has_failed(e)) {
        refuse_failed(e);
        event_error(&e->refusal, out);
        return;
    }
    event_finish(&e->head, ask->usage, &e->job, out);
    if (ask->usage)
        event_usage(&e->head, &e->job, out);
    event_done(out);
}

// With the log-probabilities of all ids whose text is there. Ids of which no text has come yet go with the next one's.
static bool put_told_text(Exchange *e, const char *text, size_t bytes, FILE *out)
{
    Logprobs told;
    const bool whole = queue_told(&e->server->queue, &e->job, e->told, &told);
    event_text(&e->head, e->ask.usage, text, bytes, &told, &e->offset, out);
    e->told += told.n;
    logprobs_free(&told);
    return whole;
}

// The next events in e->event. False: the client has gone, or no memory.
static bool next_events(Exchange *e)
{
    size_t bytes = 0;
    bool whole = true;
    free(e->event);
    e->event = NULL;
    e->event_bytes = e->event_sent = 0;
    if (!wait_for_job(e, true))
        return false;
    FILE *out = open_memstream(&e->event, &e->event_bytes);
    if (!out)
        return false;
    if (!e->begun && e->ask.kind == ASK_CHAT)
        event_role(&e->head, e->ask.usage, out);
    e->begun = true;
    char *text = queue_text(&e->server->queue, &e->job, e->seen, &bytes);
    if (text && e->ask.sampling.told)
        whole = put_told_text(e, text, bytes, out);
    else if (text)
        event_text(&e->head, e->ask.usage, text, bytes, NULL, NULL, out);
    else if (!bytes) // so the job is done, and all of its text is out
        write_end(e, out);
    e->seen += bytes;
    e->ended = !bytes;
    free(text);
    return fclose(out) == 0 && e->event_bytes && whole;
}

static ssize_t read_stream(void *context, uint64_t at, char *to, size_t most)
{
    Exchange *e = context;
    (void)at;
    peer_phase(e->peer, PEER_WORKING);
    if (e->event_sent == e->event_bytes) {
        if (e->ended)
            return MHD_END_OF_STREAM;
        if (!next_events(e))
            return MHD_END_WITH_ERROR;
    }
    const size_t left = e->event_bytes - e->event_sent, bytes = left < most ? left : most;
    memcpy(to, e->event + e->event_sent, bytes);
    e->event_sent += bytes;
    peer_phase(e->peer, PEER_SENDING);
    return (ssize_t)bytes;
}

// The status waits for the first text, so that what fails before it is told by the status.
static int answer_stream(Exchange *e)
{
    if (!wait_for_job(e, true))
        return MHD_NO;
    if (!queue_has_text(&e->server->queue, &e->job, 0) && has_failed(e)) {
        refuse_failed(e);
        return http_refuse(e);
    }
    return http_stream(e, "text/event-stream", read_stream);
}

// ------------------------------------------------------------------------------------------------------------------

static bool read_ask(Exchange *e, AskKind kind)
{
    Server *s = e->server;
    const uint32_t most_values = (uint32_t)s->context + 65536; // as many ids as fit, and all else
    if (!ask_read(&e->ask, kind, s->model, &s->cli->sampling, e->body ? e->body : "", e->body_bytes, most_values, &e->json, &e->refusal))
        return false;
    e->job.most = e->ask.most;
    e->job.sampling = e->ask.sampling;
    e->job.logprobs.most = e->ask.sampling.logprobs;
    e->job.stops = (StopStrings){ e->ask.stops, e->ask.n_stops };
    return true;
}

static int complete(Exchange *e, AskKind kind, bool (*prompt)(Exchange *e))
{
    Server *s = e->server;
    job_init(&e->job);
    e->has_job = true;
    e->head = (Head){ .kind = kind,
                      .package = &s->package,
                      .view = &s->view,
                      .model = s->model,
                      .number = __atomic_add_fetch(&s->requests, 1, __ATOMIC_RELAXED),
                      .created = (int64_t)time(NULL),
                      .load = s->rt->load };
    if (!read_ask(e, kind) || !prompt(e) || !check_prompt(e) || !check_bias(e))
        return http_refuse(e);
    prompt_warn_lost(s->cli, e->route->name, e->lost);
    if (!queue_add(&s->queue, &e->job)) {
        refuse_as(&e->refusal, 503, "server_error", "queue_full", "%d requests wait already: try again", QUEUE_MOST);
        return http_refuse(e);
    }
    return e->ask.stream ? answer_stream(e) : answer_at_once(e);
}

static bool text_prompt(Exchange *e)
{
    const JsonValue *p = e->ask.prompt;
    return p->kind == JSON_STRING ? encode(e, p->text.at, p->text.bytes) : take_ids(e, p);
}

// A value of the request as text, malloc'ed; NULL: there is none, or no memory.
static char *text_of(const Exchange *e, const JsonValue *value)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = value ? open_memstream(&text, &bytes) : NULL;
    if (!out)
        return NULL;
    json_write(&e->json, value, out);
    fclose(out);
    return text;
}

// A template that says nothing of tools would leave them out in silence.
static bool check_tools(Exchange *e, const Conversation *c)
{
    const Template *t = &e->server->chat;
    if (e->ask.tools && !template_knows(t, "tools"))
        return refuse(&e->refusal, "unsupported_parameter", "tools", "tools: the chat template of this model does not tell of tools");
    for (int i = 0; i < c->count; ++i)
        if (c->messages[i].tool_calls && !template_knows(t, "tool_calls"))
            return refuse(&e->refusal, "unsupported_parameter", "messages",
                          "messages[%d].tool_calls: the chat template of this model does not tell of tool calls", i);
    return true;
}

static bool template_ids(Exchange *e, const Conversation *c)
{
    char *variables = text_of(e, e->ask.variables), *tools = text_of(e, e->ask.tools);
    const TemplateInput in = { .messages = c->messages,
                               .count = c->count,
                               .tools_json = tools,
                               .variables_json = variables,
                               .add_generation_prompt = true,
                               .now = time(NULL) };
    ChatIds ids = { NULL, 0, 0 };
    RtError error;
    const RtStatus status = (e->ask.variables && !variables) || (e->ask.tools && !tools)
                                ? rt_fail(&error, ERR_MEMORY, "no memory")
                                : chat_ids(&e->server->chat, &in, &e->server->view, &ids, &error);
    free(variables);
    free(tools);
    e->job.ids = ids.ids;
    e->job.n = ids.n;
    e->lost = ids.lost;
    if (status == RT_OK)
        return true;
    return error.id == ERR_MEMORY ? refuse_no_memory(&e->refusal)
                                  : refuse(&e->refusal, "chat_template", "messages", "%s", error.text);
}

static bool chat_prompt(Exchange *e)
{
    Conversation c;
    if (!e->server->chat.head)
        return refuse_as(&e->refusal, 501, "server_error", "no_chat_template",
                         "the model came without a chat template: /v1/completions takes a prompt as it is, "
                         "`llmc pack MODEL --into PROGRAM --chat-template NAME` gives it one");
    const bool fits = conversation_read(&c, &e->json, e->ask.messages, &e->refusal) && check_tools(e, &c) && template_ids(e, &c);
    conversation_free(&c);
    return fits;
}

int complete_text(Exchange *e)
{
    return complete(e, ASK_TEXT, text_prompt);
}

int complete_chat(Exchange *e)
{
    return complete(e, ASK_CHAT, chat_prompt);
}

void complete_cancel(Exchange *e)
{
    if (e->has_job)
        queue_cancel(&e->server->queue, &e->job);
}

void complete_say(const Exchange *e, FILE *out)
{
    static const char *const ends[] = { [GENERATE_COUNT] = "length",
                                        [GENERATE_EOS] = "end of text",
                                        [GENERATE_STOP] = "stop string",
                                        [GENERATE_CONTEXT] = "context full",
                                        [GENERATE_CANCELLED] = "cancelled" };
    const Job *job = &e->job;
    if (!e->has_job || !job->stats.prompt_tokens)
        return;
    fprintf(out, "%s%s | waited %s | kept %d tok | ", has_failed(e) ? "" : ", ", has_failed(e) ? "" : ends[job->end],
            figure_time(job->waited_seconds).text, job->kept);
    stats_figures(&e->server->package, &job->stats, out);
    if (has_failed(e))
        fprintf(out, " | %s", job->stopped ? "the server stops" : job->error.text);
}

void complete_end(Exchange *e)
{
    if (!e->has_job)
        return;
    job_free(&e->job);
    json_free(&e->json);
}
