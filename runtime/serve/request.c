// request.c: what the body of a request asks for.
#include "request.h"
#include "tools.h"
#include "../package.h"

#include <math.h>
#include <string.h>

// A request while it is read.
typedef struct Reading {
    Ask *ask;
    const Json *json;
    const char *model;
    Refusal *refusal;
    bool stream_options, no_tools, one_call;
    unsigned sampled; // bit SamplingField: the request says so
} Reading;

// Values of a field that change nothing. null is always among them.
enum { IF_FALSE = 1, IF_ZERO = 2, IF_ONE = 4, IF_EMPTY = 8, IF_NONE = 16, IF_AUTO = 32, IF_ANY = 64 };

typedef struct Field {
    const char *name;
    unsigned kinds;   // AskKind bits
    unsigned neutral; // where take is NULL
    bool (*take)(Reading *r, const char *name, const JsonValue *v);
} Field;

static const char *kind_name(JsonKind kind)
{
    static const char *const names[] = { "null", "false", "true", "a number", "a string", "an array", "an object" };
    return names[kind];
}

static bool wrong_type(Reading *r, const char *name, const char *want, const JsonValue *got)
{
    return refuse(r->refusal, "invalid_type", name, "%s is %s: expected %s", name, kind_name(got->kind), want);
}

static bool take_flag(Reading *r, const char *name, const JsonValue *v, bool *flag)
{
    if (v->kind != JSON_TRUE && v->kind != JSON_FALSE)
        return wrong_type(r, name, "true or false", v);
    *flag = v->kind == JSON_TRUE;
    return true;
}

static bool take_whole(Reading *r, const char *name, const JsonValue *v, double least, double *number)
{
    if (v->kind != JSON_NUMBER)
        return wrong_type(r, name, "a number", v);
    if (v->number != floor(v->number) || v->number < least || v->number > 0x1p53)
        return refuse(r->refusal, "invalid_value", name, "%s is %.6g: expected a whole number, %.0f or more", name,
                      v->number, least);
    *number = v->number;
    return true;
}

// ---- one function a field ----------------------------------------------------------------------------------------

static bool take_model(Reading *r, const char *name, const JsonValue *v)
{
    if (v->kind != JSON_STRING)
        return wrong_type(r, name, "a string", v);
    if (json_text_is(v->text, r->model))
        return true;
    refuse_as(r->refusal, 404, "invalid_request_error", "model_not_found",
              "there is no model \"%.100s\" here: this is \"%s\"", v->text.at, r->model);
    snprintf(r->refusal->param, sizeof r->refusal->param, "%s", name);
    return false;
}

static bool take_messages(Reading *r, const char *name, const JsonValue *v)
{
    if (v->kind != JSON_ARRAY)
        return wrong_type(r, name, "an array of messages", v);
    if (!v->count)
        return refuse(r->refusal, "invalid_value", name, "messages is empty: expected one message or more");
    r->ask->messages = v;
    return true;
}

// More variables for the chat template (enable_thinking ...), as vLLM and llama.cpp call them.
static bool take_variables(Reading *r, const char *name, const JsonValue *v)
{
    if (v->kind != JSON_OBJECT)
        return wrong_type(r, name, "an object", v);
    static const char *const own[] = { "messages", "tools", "documents", "add_generation_prompt", "bos_token", "eos_token" };
    for (size_t i = 0; i < sizeof own / sizeof *own; ++i)
        if (json_get(r->json, v, own[i]))
            return refuse(r->refusal, "unsupported_value", name, "%s may not set %s, which the request and the model say", name, own[i]);
    r->ask->variables = v;
    return true;
}

// A string, ids, or an array of one of them.
static bool take_prompt(Reading *r, const char *name, const JsonValue *v)
{
    const JsonValue *only = v->kind == JSON_ARRAY ? json_first(v) : NULL;
    if (only && (only->kind == JSON_STRING || only->kind == JSON_ARRAY)) {
        if (v->count != 1)
            return refuse(r->refusal, "unsupported_value", name, "prompt has %u texts: one request answers one",
                          v->count);
        v = only;
    }
    if (v->kind != JSON_STRING && v->kind != JSON_ARRAY)
        return wrong_type(r, name, "a string or an array of ids", v);
    for (const JsonValue *id = v->kind == JSON_ARRAY ? json_first(v) : NULL; id; id = json_next(r->json, id))
        if (id->kind != JSON_NUMBER || id->number != floor(id->number) || id->number < 0 || id->number > UINT32_MAX)
            return refuse(r->refusal, "invalid_type", name, "prompt is an array, but not of ids alone");
    r->ask->prompt = v;
    return true;
}

static bool take_most(Reading *r, const char *name, const JsonValue *v)
{
    double number = 0;
    if (!take_whole(r, name, v, 1, &number))
        return false;
    const int most = number < 1 << 30 ? (int)number : 1 << 30;
    if (r->ask->most >= 0 && r->ask->most != most)
        return refuse(r->refusal, "invalid_value", name, "max_tokens and max_completion_tokens say different things");
    r->ask->most = most;
    return true;
}

static bool take_stop(Reading *r, const char *name, const JsonValue *v)
{
    Ask *ask = r->ask;
    if (v->kind != JSON_STRING && v->kind != JSON_ARRAY)
        return wrong_type(r, name, "a string or an array of strings", v);
    if (v->kind == JSON_ARRAY && v->count > ASK_STOPS)
        return refuse(r->refusal, "invalid_value", name, "stop has %u strings: at most %d", v->count, ASK_STOPS);
    for (const JsonValue *s = v->kind == JSON_ARRAY ? json_first(v) : v; s; s = json_next(r->json, s)) {
        if (s->kind != JSON_STRING)
            return wrong_type(r, name, "an array of strings", s);
        if (!s->text.bytes || strlen(s->text.at) != s->text.bytes)
            return refuse(r->refusal, "invalid_value", name, "stop has an empty string, or one with a zero character");
        ask->stops[ask->n_stops++] = s->text.at;
        if (v->kind == JSON_STRING)
            break;
    }
    return true;
}

static bool take_stream(Reading *r, const char *name, const JsonValue *v)
{
    return take_flag(r, name, v, &r->ask->stream);
}

static bool take_stream_options(Reading *r, const char *name, const JsonValue *v)
{
    if (v->kind != JSON_OBJECT)
        return wrong_type(r, name, "an object", v);
    r->stream_options = true;
    for (const JsonValue *o = json_first(v); o; o = json_next(r->json, o)) {
        bool ignored = false;
        if (json_text_is(o->key, "include_usage") ? !take_flag(r, "stream_options.include_usage", o, &r->ask->usage)
            : json_text_is(o->key, "include_obfuscation")
                ? !take_flag(r, "stream_options.include_obfuscation", o, &ignored)
                : !refuse(r->refusal, "unknown_parameter", name, "stream_options.%.40s is not known here", o->key.at))
            return false;
    }
    return true;
}

static const struct {
    const char *name;
    SamplingField field;
} sampled[] = {
    { "temperature", SAMPLING_TEMPERATURE },           { "top_p", SAMPLING_TOP_P },
    { "top_k", SAMPLING_TOP_K },                       { "min_p", SAMPLING_MIN_P },
    { "presence_penalty", SAMPLING_PRESENCE },         { "frequency_penalty", SAMPLING_FREQUENCY },
    { "repeat_penalty", SAMPLING_REPEAT },             { "repeat_last_n", SAMPLING_WINDOW },
};

static bool take_sampling(Reading *r, const char *name, const JsonValue *v)
{
    size_t i = 0;
    while (strcmp(sampled[i].name, name) != 0)
        ++i;
    if (v->kind != JSON_NUMBER)
        return wrong_type(r, name, "a number", v);
    if (!sampling_set(&r->ask->sampling, sampled[i].field, v->number))
        return refuse(r->refusal, "invalid_value", name, "%s is %.6g: expected %s", name, v->number, sampling_wants(sampled[i].field));
    r->sampled |= 1u << sampled[i].field;
    return true;
}

// -1: any, as in llama.cpp.
static bool take_seed(Reading *r, const char *name, const JsonValue *v)
{
    double number = 0;
    if (!take_whole(r, name, v, -0x1p53, &number))
        return false;
    if (number != -1)
        r->ask->sampling.seed = (uint64_t)(int64_t)number;
    return true;
}

// {"id": what is added to its logit}; false, as in llama.cpp: never.
static bool take_bias(Reading *r, const char *name, const JsonValue *v)
{
    Ask *ask = r->ask;
    if (v->kind != JSON_OBJECT)
        return wrong_type(r, name, "an object", v);
    if (v->count > ASK_BIASES)
        return refuse(r->refusal, "invalid_value", name, "logit_bias has %u ids: at most %d", v->count, ASK_BIASES);
    ask->sampling.biases = 0;
    for (const JsonValue *b = json_first(v); b; b = json_next(r->json, b)) {
        uint32_t id;
        if (!sampling_bias_id(b->key.at, b->key.bytes, &id))
            return refuse(r->refusal, "invalid_value", name, "logit_bias: \"%.40s\" is no id", b->key.at);
        if (b->kind != JSON_NUMBER && b->kind != JSON_FALSE)
            return wrong_type(r, "a value of logit_bias", "a number, or false (never)", b);
        if (b->kind == JSON_NUMBER && !sampling_bias_possible(b->number))
            return refuse(r->refusal, "invalid_value", name, "logit_bias of %s is %.6g: expected -1000000 to 1000000", b->key.at, b->number);
        ask->bias[ask->sampling.biases++] =
            (SamplingBias){ id, b->kind == JSON_FALSE ? -INFINITY : (float)b->number };
    }
    ask->sampling.bias = ask->bias;
    return true;
}

// A flag in a chat, a number of the largest elsewhere.
static bool take_logprobs(Reading *r, const char *name, const JsonValue *v)
{
    Sampling *s = &r->ask->sampling;
    double number = 0;
    if (r->ask->kind == ASK_CHAT || v->kind == JSON_FALSE)
        return take_flag(r, name, v, &s->told);
    if (!take_whole(r, name, v, 0, &number))
        return false;
    if (number > LOGPROBS_MOST)
        return refuse(r->refusal, "invalid_value", name, "%s is %.0f: at most %d", name, number, LOGPROBS_MOST);
    s->told = true;
    s->logprobs = (int)number;
    return true;
}

static bool take_top_logprobs(Reading *r, const char *name, const JsonValue *v)
{
    double number = 0;
    if (!take_whole(r, name, v, 0, &number))
        return false;
    if (number > LOGPROBS_MOST)
        return refuse(r->refusal, "invalid_value", name, "%s is %.0f: at most %d", name, number, LOGPROBS_MOST);
    r->ask->sampling.logprobs = (int)number;
    return true;
}

static bool take_tools(Reading *r, const char *name, const JsonValue *v)
{
    if (v->kind != JSON_ARRAY)
        return wrong_type(r, name, "an array of tools", v);
    r->ask->tools = v->count ? v : NULL;
    return tools_check(r->json, v, r->refusal);
}

// What calls there will be is the model's matter.
static bool take_tool_choice(Reading *r, const char *name, const JsonValue *v)
{
    r->no_tools = v->kind == JSON_STRING && json_text_is(v->text, "none");
    return r->no_tools || (v->kind == JSON_STRING && json_text_is(v->text, "auto")) ||
           refuse(r->refusal, "unsupported_value", name, "tool_choice: this version has \"auto\" and \"none\"");
}

static bool take_parallel(Reading *r, const char *name, const JsonValue *v)
{
    bool parallel = true;
    if (!take_flag(r, name, v, &parallel))
        return false;
    r->one_call = !parallel;
    return true;
}

static bool take_format(Reading *r, const char *name, const JsonValue *v)
{
    const JsonValue *type = v->kind == JSON_OBJECT ? json_get(r->json, v, "type") : NULL;
    if (!type || type->kind != JSON_STRING)
        return wrong_type(r, name, "an object with a type", v);
    return json_text_is(type->text, "text") ||
           refuse(r->refusal, "unsupported_value", name,
                  "response_format \"%.40s\" is not in this version: it has \"text\"", type->text.at);
}

static bool take_modalities(Reading *r, const char *name, const JsonValue *v)
{
    const JsonValue *first = v->kind == JSON_ARRAY ? json_first(v) : NULL;
    return (first && v->count == 1 && first->kind == JSON_STRING && json_text_is(first->text, "text")) ||
           refuse(r->refusal, "unsupported_value", name, "modalities: this program makes [\"text\"]");
}

// ---- all of them -------------------------------------------------------------------------------------------------

enum { BOTH = ASK_CHAT | ASK_TEXT };

static const Field fields[] = {
    { "model", BOTH, 0, take_model },
    { "messages", ASK_CHAT, 0, take_messages },
    { "chat_template_kwargs", ASK_CHAT, 0, take_variables },
    { "prompt", ASK_TEXT, 0, take_prompt },
    { "max_tokens", BOTH, 0, take_most },
    { "max_completion_tokens", ASK_CHAT, 0, take_most },
    { "stop", BOTH, 0, take_stop },
    { "stream", BOTH, 0, take_stream },
    { "stream_options", BOTH, 0, take_stream_options },
    { "temperature", BOTH, 0, take_sampling },
    { "top_p", BOTH, 0, take_sampling },
    { "top_k", BOTH, 0, take_sampling },
    { "min_p", BOTH, 0, take_sampling },
    { "presence_penalty", BOTH, 0, take_sampling },
    { "frequency_penalty", BOTH, 0, take_sampling },
    { "repeat_penalty", BOTH, 0, take_sampling },
    { "repeat_last_n", BOTH, 0, take_sampling },
    { "logit_bias", BOTH, 0, take_bias },
    { "seed", BOTH, 0, take_seed },
    { "response_format", ASK_CHAT, 0, take_format },
    { "modalities", ASK_CHAT, 0, take_modalities },
    { "n", BOTH, IF_ONE, NULL },
    { "best_of", ASK_TEXT, IF_ONE, NULL },
    { "suffix", ASK_TEXT, IF_EMPTY, NULL },
    { "echo", ASK_TEXT, IF_FALSE, NULL },
    { "logprobs", BOTH, 0, take_logprobs },
    { "top_logprobs", ASK_CHAT, 0, take_top_logprobs },
    { "tools", ASK_CHAT, 0, take_tools },
    { "tool_choice", ASK_CHAT, 0, take_tool_choice },
    { "parallel_tool_calls", ASK_CHAT, 0, take_parallel },
    { "functions", ASK_CHAT, IF_EMPTY, NULL },
    { "function_call", ASK_CHAT, IF_NONE | IF_AUTO, NULL },
    { "audio", ASK_CHAT, 0, NULL },
    { "prediction", ASK_CHAT, 0, NULL },
    { "reasoning_effort", ASK_CHAT, 0, NULL },
    { "verbosity", ASK_CHAT, 0, NULL },
    { "web_search_options", ASK_CHAT, 0, NULL },
    { "store", ASK_CHAT, IF_FALSE, NULL },
    // What OpenAI's service does with these, the answer does not show.
    { "user", BOTH, IF_ANY, NULL },
    { "metadata", ASK_CHAT, IF_ANY, NULL },
    { "service_tier", ASK_CHAT, IF_ANY, NULL },
    { "safety_identifier", ASK_CHAT, IF_ANY, NULL },
    { "prompt_cache_key", ASK_CHAT, IF_ANY, NULL },
};

static bool is_neutral(unsigned neutral, const JsonValue *v)
{
    const bool text = v->kind == JSON_STRING;
    return v->kind == JSON_NULL || (neutral & IF_ANY) || ((neutral & IF_FALSE) && v->kind == JSON_FALSE) ||
           ((neutral & IF_ZERO) && v->kind == JSON_NUMBER && v->number == 0) ||
           ((neutral & IF_ONE) && v->kind == JSON_NUMBER && v->number == 1) ||
           ((neutral & IF_EMPTY) && ((v->kind >= JSON_ARRAY && !v->count) || (text && !v->text.bytes))) ||
           ((neutral & IF_NONE) && text && json_text_is(v->text, "none")) ||
           ((neutral & IF_AUTO) && text && json_text_is(v->text, "auto"));
}

static bool take_field(Reading *r, const JsonValue *v)
{
    const Field *field = NULL;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; ++i)
        if ((fields[i].kinds & r->ask->kind) && json_text_is(v->key, fields[i].name))
            field = &fields[i];
    if (!field)
        return refuse(r->refusal, "unknown_parameter", v->key.bytes < 48 ? v->key.at : "",
                      "the field \"%.100s\" is not known here", v->key.at);
    if (v->kind == JSON_NULL)
        return true;
    if (field->take)
        return field->take(r, field->name, v);
    return is_neutral(field->neutral, v) ||
           refuse(r->refusal, "unsupported_parameter", field->name, "%s is not in this version%s", field->name,
                  field->neutral & IF_ONE ? ", or only with the value 1" : "");
}

static bool check_idle(const Reading *r)
{
    const SamplingField idle = sampling_idle(&r->ask->sampling, r->sampled);
    size_t i = 0;
    if (idle == SAMPLING_FIELDS)
        return true;
    while (sampled[i].field != idle)
        ++i;
    return refuse(r->refusal, "unsupported_value", sampled[i].name, "%s has an effect %s too", sampled[i].name,
                  idle == SAMPLING_WINDOW ? "beside a penalty alone: give one" : "in sampling alone: give a temperature");
}

// What several fields say together.
static bool check_fields(Reading *r)
{
    const Ask *ask = r->ask;
    if (ask->kind == ASK_CHAT && !ask->messages)
        return refuse(r->refusal, "missing_required_parameter", "messages", "messages is missing");
    if (ask->kind == ASK_TEXT && !ask->prompt)
        return refuse(r->refusal, "missing_required_parameter", "prompt", "prompt is missing");
    if (r->stream_options && !ask->stream)
        return refuse(r->refusal, "invalid_value", "stream_options", "stream_options belongs to \"stream\": true");
    if (ask->sampling.logprobs && !ask->sampling.told)
        return refuse(r->refusal, "invalid_value", "top_logprobs", "top_logprobs belongs to \"logprobs\": true");
    if (ask->tools && r->one_call)
        return refuse(r->refusal, "unsupported_value", "parallel_tool_calls",
                      "parallel_tool_calls false is not in this version: how many calls there are is the model's matter");
    return check_idle(r);
}

bool ask_read(Ask *ask, AskKind kind, const char *model, const Sampling *defaults, char *text, size_t bytes, uint32_t most_values, Json *json,
              Refusal *refusal)
{
    const JsonLimits limits = { .depth = 32, .values = most_values, .members = 256 };
    Reading r = { .ask = ask, .json = json, .model = model, .refusal = refusal };
    RtError error;
    *ask = (Ask){ .kind = kind, .most = -1, .sampling = *defaults };
    ask->sampling.seed = sampling_any_seed();
    if (json_read(json, text, bytes, &limits, &error) != RT_OK)
        return refuse(refusal, "invalid_json", "", "%s", error.text);
    if (json->values->kind != JSON_OBJECT)
        return refuse(refusal, "invalid_type", "", "the body is %s: expected an object", kind_name(json->values->kind));
    for (const JsonValue *v = json_first(json->values); v; v = json_next(json, v))
        if (!take_field(&r, v))
            return false;
    if (ask->kind == ASK_TEXT && ask->most < 0)
        ask->most = 16; // as OpenAI's API has it
    if (r.no_tools)
        ask->tools = NULL;
    return check_fields(&r);
}
