// request.c: bodies of requests, N damaged ones (request N): each is refused with a reason, or asks for something possible.
#include "../test.h"

#include "../../runtime/serve/request.h"

static const char *const pieces[] = {
    "\"model\":\"m\"", "\"model\":\"x\"", "\"prompt\":\"abc\"", "\"prompt\":[1,2]", "\"prompt\":[[3]]", "\"prompt\":[\"a\"]", "\"prompt\":[]",
    "\"prompt\":{}", "\"prompt\":[1,\"a\"]", "\"prompt\":[[]]", "\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]", "\"messages\":[]",
    "\"messages\":[1]", "\"messages\":\"x\"", "\"max_tokens\":5", "\"max_tokens\":-1", "\"max_tokens\":1e300", "\"max_completion_tokens\":7",
    "\"stop\":\"x\"", "\"stop\":[\"a\",\"b\"]", "\"stop\":[\"\"]", "\"stop\":[1]", "\"stop\":[]", "\"stream\":true", "\"stream\":0",
    "\"stream_options\":{\"include_usage\":true}", "\"stream_options\":{\"x\":1}", "\"stream_options\":[]", "\"temperature\":0",
    "\"temperature\":0.5", "\"top_p\":0.5", "\"top_p\":1", "\"n\":1", "\"n\":2", "\"seed\":-5", "\"seed\":0.5", "\"tools\":[]", "\"tools\":[{}]",
    "\"tool_choice\":\"auto\"", "\"response_format\":{\"type\":\"text\"}", "\"response_format\":{}", "\"modalities\":[\"text\"]",
    "\"modalities\":[]", "\"logit_bias\":{}", "\"logit_bias\":{\"5\":-100,\"6\":false}", "\"logit_bias\":{\"x\":1}", "\"logit_bias\":{\"5\":true}", "\"top_k\":0", "\"top_k\":0.5", "\"min_p\":-1", "\"logprobs\":false", "\"metadata\":{\"a\":[{}]}", "\"user\":null", "\"prompt\":null", "\"zz\":1",
};

static uint32_t random_next(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

static size_t make_body(uint32_t *state, char *body, size_t room)
{
    size_t bytes = 0;
    const uint32_t n = random_next(state) % 5;
    body[bytes++] = '{';
    for (uint32_t i = 0; i <= n; ++i)
        bytes += (size_t)snprintf(body + bytes, room - bytes, "%s%s", i ? "," : "",
                                  pieces[random_next(state) % (sizeof pieces / sizeof *pieces)]);
    body[bytes++] = '}';
    if (random_next(state) % 3 == 0)
        body[random_next(state) % bytes] = (char)random_next(state);
    return bytes;
}

static void check_ask(const Ask *ask, AskKind kind, const Json *json)
{
    ASSERT_INT(kind, ask->kind);
    ASSERT((kind == ASK_CHAT) == (ask->messages != NULL) && (kind == ASK_TEXT) == (ask->prompt != NULL));
    ASSERT(!ask->messages || (ask->messages->kind == JSON_ARRAY && ask->messages->count));
    ASSERT(ask->most == -1 || ask->most > 0);
    ASSERT(kind == ASK_CHAT || ask->most > 0);
    ASSERT(ask->n_stops <= ASK_STOPS);
    for (int i = 0; i < ask->n_stops; ++i)
        ASSERT(ask->stops[i][0]);
    ASSERT(!ask->usage || ask->stream);
    const JsonValue *first = ask->prompt && ask->prompt->kind == JSON_ARRAY ? json_first(ask->prompt) : NULL;
    for (const JsonValue *v = first; v; v = json_next(json, v))
        ASSERT(v->kind == JSON_NUMBER && v->number >= 0 && v->number <= UINT32_MAX);
}

static void check_refusal(const Refusal *r)
{
    ASSERT(r->status == 400 || r->status == 404);
    ASSERT(r->message[0] && r->code && r->type);
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    refusal_write(r, out);
    fclose(out);
    Json json;
    RtError error;
    const JsonLimits limits = { .depth = 4, .values = 16, .members = 8 };
    ASSERT_INT(RT_OK, json_read(&json, text, bytes, &limits, &error));
    json_free(&json);
    free(text);
}

int main(int argc, char **argv)
{
    const int count = argc > 1 ? atoi(argv[1]) : 20000;
    const Sampling defaults = sampling_default();
    uint32_t state = 7;
    int taken = 0;
    for (int i = 0; i < count; ++i) {
        char made[1024];
        const size_t bytes = make_body(&state, made, sizeof made);
        const AskKind kind = random_next(&state) % 2 ? ASK_CHAT : ASK_TEXT;
        char *body = malloc(bytes); // exactly as long, so that a step outside is seen
        memcpy(body, made, bytes);
        Ask ask;
        Json json;
        Refusal refusal = { .status = 0 };
        if (ask_read(&ask, kind, "m", &defaults, body, bytes, 1000, &json, &refusal)) {
            ++taken;
            check_ask(&ask, kind, &json);
        } else {
            check_refusal(&refusal);
        }
        json_free(&json);
        free(body);
    }
    printf("%d of %d bodies were taken\n", taken, count);
    ASSERT(taken > count / 100 && taken < count / 2);
    return test_failed;
}
