// answer.c: what the server sends: JSON objects, and the events of a stream.
#include "answer.h"
#include "../cli_json.h"

static const char *finish_reason(const Job *job)
{
    return job->end == GENERATE_EOS || job->end == GENERATE_STOP ? "stop" : "length";
}

static void put_head(const Head *head, const char *object, FILE *out)
{
    fprintf(out, "{\"id\":\"%s-%llu-%llu\",\"object\":\"%s\",\"created\":%lld,\"model\":",
            head->kind == ASK_CHAT ? "chatcmpl" : "cmpl", (unsigned long long)head->created,
            (unsigned long long)head->number, object, (long long)head->created);
    json_text(out, head->model);
    fprintf(out, ",\"system_fingerprint\":\"llmc-%016llx\"", (unsigned long long)head->package->plan->plan_fingerprint);
}

static void put_usage(const Job *job, FILE *out)
{
    fprintf(out,
            "{\"prompt_tokens\":%d,\"completion_tokens\":%d,\"total_tokens\":%d,\"prompt_tokens_details\":"
            "{\"cached_tokens\":%d}}",
            job->n, job->stats.made, job->n + job->stats.made, job->kept);
}

static void put_timings(const Head *head, const Job *job, FILE *out)
{
    Stats stats = job->stats;
    stats.load = head->load;
    stats_json(head->package, &stats, out);
}

// ,"logprobs":.. of `told`; NULL: none were asked for.
static void put_logprobs(const Head *head, const Logprobs *told, size_t *offset, FILE *out)
{
    fputs(",\"logprobs\":", out);
    if (!told)
        fputs("null", out);
    else if (head->kind == ASK_CHAT)
        logprobs_chat(out, told, 0, told->n, head->view);
    else
        logprobs_text(out, told, 0, told->n, head->view, offset);
}

void answer_whole(const Head *head, const Job *job, const char *text, size_t bytes, FILE *out)
{
    const bool chat = head->kind == ASK_CHAT;
    put_head(head, chat ? "chat.completion" : "text_completion", out);
    fputs(chat ? ",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":"
               : ",\"choices\":[{\"index\":0,\"text\":",
          out);
    print_json_string(out, text, bytes);
    fputs(chat ? ",\"refusal\":null}" : "", out);
    size_t offset = 0;
    put_logprobs(head, job->sampling.told ? &job->logprobs : NULL, &offset, out);
    fprintf(out, ",\"finish_reason\":\"%s\"}],\"usage\":", finish_reason(job));
    put_usage(job, out);
    fputs(",\"timings\":", out);
    put_timings(head, job, out);
    fputc('}', out);
}

// ---- events ------------------------------------------------------------------------------------------------------

static void begin_event(const Head *head, bool usage, FILE *out)
{
    fputs("data: ", out);
    put_head(head, head->kind == ASK_CHAT ? "chat.completion.chunk" : "text_completion", out);
    if (usage)
        fputs(",\"usage\":null", out);
}

static void end_event(FILE *out)
{
    fputs("}\n\n", out);
}

void event_role(const Head *head, bool usage, FILE *out)
{
    begin_event(head, usage, out);
    fputs(",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"logprobs\":null,"
          "\"finish_reason\":null}]",
          out);
    end_event(out);
}

void event_text(const Head *head, bool usage, const char *text, size_t bytes, const Logprobs *told, size_t *offset, FILE *out)
{
    const bool chat = head->kind == ASK_CHAT;
    begin_event(head, usage, out);
    fputs(chat ? ",\"choices\":[{\"index\":0,\"delta\":{\"content\":" : ",\"choices\":[{\"index\":0,\"text\":", out);
    print_json_string(out, text, bytes);
    fputs(chat ? "}" : "", out);
    put_logprobs(head, told, offset, out);
    fputs(",\"finish_reason\":null}]", out);
    end_event(out);
}

void event_finish(const Head *head, bool usage, const Job *job, FILE *out)
{
    begin_event(head, usage, out);
    fprintf(out, ",\"choices\":[{\"index\":0,%s,\"logprobs\":null,\"finish_reason\":\"%s\"}],\"timings\":",
            head->kind == ASK_CHAT ? "\"delta\":{}" : "\"text\":\"\"", finish_reason(job));
    put_timings(head, job, out);
    end_event(out);
}

void event_usage(const Head *head, const Job *job, FILE *out)
{
    begin_event(head, false, out);
    fputs(",\"choices\":[],\"usage\":", out);
    put_usage(job, out);
    end_event(out);
}

void event_error(const Refusal *r, FILE *out)
{
    fputs("data: ", out);
    refusal_write(r, out);
    fputs("\n\n", out);
}

void event_done(FILE *out)
{
    fputs("data: [DONE]\n\n", out);
}

// ---- models ------------------------------------------------------------------------------------------------------

void answer_models(const Head *head, int context, bool list, FILE *out)
{
    const PkgPlan *plan = head->package->plan;
    if (list)
        fputs("{\"object\":\"list\",\"data\":[", out);
    fputs("{\"id\":", out);
    json_text(out, head->model);
    fprintf(out,
            ",\"object\":\"model\",\"created\":%lld,\"owned_by\":\"llmc\",\"meta\":{\"context\":%d,\"vocab\":%u,"
            "\"layers\":%u,\"hidden\":%u,\"target\":",
            (long long)head->created, context, plan->vocab, plan->layers, plan->hidden);
    json_text(out, plan->target);
    fprintf(out, ",\"chat\":%s}}%s", head->chat ? "true" : "false", list ? "]}" : "");
}
