// cli_answer.c: an answer as one JSON object.
#include "cli_answer.h"
#include "cli_json.h"

static const char *finish_reason(GenerateEnd end)
{
    switch (end) {
    case GENERATE_EOS:
    case GENERATE_STOP:
        return "stop";
    case GENERATE_COUNT:
    case GENERATE_CONTEXT:
        return "length";
    case GENERATE_CANCELLED:
        break;
    }
    return "interrupted";
}

void answer_json(const Cli *cli, const Rt *rt, const Answered *a)
{
    const Package *p = &rt->package;
    const Stats *s = a->stats;
    printf("{\"text\":");
    if (a->text)
        print_json_string(stdout, a->text, a->text_bytes);
    else
        printf("null");
    printf(",\"ids\":");
    json_ids(stdout, a->ids, s->made);
    printf(",\"finish_reason\":\"%s\",\"stop_string\":", finish_reason(a->generate->end));
    if (a->generate->stop >= 0)
        json_text(stdout, cli->stop.at[a->generate->stop]);
    else
        printf("null");
    if (a->logprobs) {
        printf(",\"logprobs\":");
        logprobs_chat(stdout, a->logprobs, 0, a->logprobs->n, a->view);
    }
    printf(",\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":%d,\"total_tokens\":%d}", s->prompt_tokens, s->made,
           s->prompt_tokens + s->made);
    printf(",\"timings\":");
    stats_json(p, s, stdout);
    printf(",\"hash\":\"%016llx\"", (unsigned long long)s->hash);
    if (s->drawn)
        printf(",\"seed\":%llu", (unsigned long long)s->seed);
    if (a->all_hashes)
        printf(",\"hash_all_ids\":\"%016llx\",\"hash_logits\":\"%016llx\"", (unsigned long long)a->hash_all,
               (unsigned long long)a->hash_logits);
    printf(",\"model\":");
    json_text(stdout, p->plan->name);
    printf(",\"device\":");
    json_text(stdout, rt->info.name);
    printf("}\n");
}
