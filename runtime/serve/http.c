// http.c: one request over HTTP: its headers, its body, its answer.
#include "http.h"
#include "complete.h"
#include "routes.h"

#include <stdlib.h>
#include <string.h>

// ---- answers -----------------------------------------------------------------------------------------------------

// Our page is whole in itself: it asks this server and nobody else, and stands in no other page.
static const char page_policy[] =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

static int send_response(Exchange *e, unsigned status, const char *type, MhdResponse *response)
{
    static const char *const headers[][2] = { { "Cache-Control", "no-store" },
                                              { "X-Content-Type-Options", "nosniff" } };
    const Mhd *mhd = &e->server->mhd;
    if (!response)
        return MHD_NO;
    const char *cors = guard_cors(&e->server->guard, &e->caller);
    if (cors) {
        mhd->add_header(response, "Access-Control-Allow-Origin", cors);
        mhd->add_header(response, "Vary", "Origin");
    }
    if (type)
        mhd->add_header(response, "Content-Type", type);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; ++i)
        mhd->add_header(response, headers[i][0], headers[i][1]);
    if (type && strncmp(type, "text/html", 9) == 0)
        mhd->add_header(response, "Content-Security-Policy", page_policy);
    if (status == 401)
        mhd->add_header(response, "WWW-Authenticate", "Bearer");
    if (status == 503)
        mhd->add_header(response, "Retry-After", "1");
    if (status == 405 && e->route)
        mhd->add_header(response, "Allow", e->route->post ? "POST" : "GET, HEAD");
    e->status = status;
    peer_phase(e->peer, PEER_SENDING);
    const int queued = mhd->queue(e->connection, status, response);
    mhd->destroy(response);
    return queued;
}

int http_send(Exchange *e, unsigned status, const char *type, const void *text, size_t bytes)
{
    return send_response(e, status, type, e->server->mhd.buffer(bytes, (void *)(uintptr_t)text, MHD_KEEP));
}

FILE *http_write(Exchange *e)
{
    return e->out = open_memstream(&e->text, &e->text_bytes);
}

int http_written(Exchange *e, unsigned status, const char *type)
{
    const bool whole = e->out && fclose(e->out) == 0;
    MhdResponse *response = whole ? e->server->mhd.buffer(e->text_bytes, e->text, MHD_FREE) : NULL;
    if (!response && e->out)
        free(e->text);
    return send_response(e, status, type, response);
}

int http_stream(Exchange *e, const char *type, MhdReader *reader)
{
    enum { BLOCK_BYTES = 16384 };
    return send_response(e, 200, type, e->server->mhd.reader(MHD_UNKNOWN_BYTES, BLOCK_BYTES, reader, e, NULL));
}

int http_refuse(Exchange *e)
{
    if (http_write(e))
        refusal_write(&e->refusal, e->out);
    return http_written(e, e->refusal.status, "application/json");
}

// What a browser asks before it lets a page of another site use the server.
static int answer_options(Exchange *e)
{
    const Mhd *mhd = &e->server->mhd;
    const char *headers = mhd->header(e->connection, MHD_HEADERS, "Access-Control-Request-Headers");
    MhdResponse *response = mhd->buffer(0, "", MHD_KEEP);
    if (response && guard_cors(&e->server->guard, &e->caller)) {
        mhd->add_header(response, "Access-Control-Allow-Methods", "GET, POST");
        mhd->add_header(response, "Access-Control-Max-Age", "600");
        if (headers)
            mhd->add_header(response, "Access-Control-Allow-Headers", headers);
    }
    return send_response(e, 204, NULL, response);
}

// ---- requests ----------------------------------------------------------------------------------------------------

static Exchange *exchange_open(Server *s, MhdConnection *c)
{
    const MhdInfo *info = s->mhd.info(c, MHD_INFO_SOCKET_CONTEXT);
    Exchange *e = info && info->context ? calloc(1, sizeof *e) : NULL;
    if (!e)
        return NULL;
    e->server = s;
    e->connection = c;
    e->peer = info->context;
    e->caller = guard_caller(&s->mhd, c);
    peer_phase(e->peer, PEER_RECEIVING);
    return e;
}

static void refuse_huge(Exchange *e)
{
    refuse_as(&e->refusal, 413, "invalid_request_error", "request_too_large", "the body is over %d bytes", BODY_MOST);
}

// All that the headers tell; what counts more comes first.
static void check_headers(Exchange *e, double bytes)
{
    Server *s = e->server;
    const bool open = e->options || !e->route || e->route->open;
    if (!guard_page(&s->guard, &e->caller, &e->refusal) || (!open && !guard_key(&s->guard, &e->caller, &e->refusal)) ||
        e->refusal.status)
        return;
    if (bytes > BODY_MOST)
        refuse_huge(e);
    else if (!e->options && e->route->post && queue_full(&s->queue))
        refuse_as(&e->refusal, 503, "server_error", "queue_full", "%d requests wait already: try again", QUEUE_MOST);
}

static int begin(Exchange *e, const char *method, const char *path)
{
    const char *length = e->server->mhd.header(e->connection, MHD_HEADERS, "Content-Length");
    const double bytes = length ? strtod(length, NULL) : 0;
    e->options = strcmp(method, "OPTIONS") == 0;
    e->route = route_find(e, method, path);
    check_headers(e, bytes);
    // A body too long to be read to its end: the connection is closed behind the answer.
    return e->refusal.status && bytes > DRAIN_MOST ? http_refuse(e) : MHD_YES;
}

// Its room is there for others.
static void drop_body(Exchange *e)
{
    __atomic_sub_fetch(&e->server->body_bytes, (int64_t)e->body_room, __ATOMIC_RELAXED);
    free(e->body);
    e->body = NULL;
    e->body_bytes = e->body_room = 0;
}

// What the body grows by counts for all requests together. False: refused, and nothing of it is kept.
static bool make_room(Exchange *e, size_t bytes)
{
    Server *s = e->server;
    if (bytes > BODY_MOST - e->body_bytes) {
        refuse_huge(e);
        drop_body(e);
        return false;
    }
    if (e->body_bytes + bytes <= e->body_room)
        return true;
    const size_t twice = 2 * (e->body_bytes + bytes), room = twice < BODY_MOST ? twice : BODY_MOST;
    const size_t more = room - e->body_room;
    const bool fits = __atomic_add_fetch(&s->body_bytes, (int64_t)more, __ATOMIC_RELAXED) <= BODIES_MOST;
    char *body = fits ? realloc(e->body, room) : NULL;
    if (!body) {
        __atomic_sub_fetch(&s->body_bytes, (int64_t)more, __ATOMIC_RELAXED);
        drop_body(e);
        return refuse_no_memory(&e->refusal);
    }
    e->body = body;
    e->body_room = room;
    return true;
}

static int take_body(Exchange *e, const char *data, size_t bytes)
{
    if (!e->refusal.status && e->route && e->route->post && make_room(e, bytes)) {
        memcpy(e->body + e->body_bytes, data, bytes);
        e->body_bytes += bytes;
        return MHD_YES;
    }
    e->drained += bytes;
    return e->drained <= DRAIN_MOST ? MHD_YES : MHD_NO;
}

int http_access(void *context, MhdConnection *c, const char *path, const char *method, const char *version,
                const char *data, size_t *data_bytes, void **request)
{
    Exchange *e = *request;
    (void)version;
    if (!e) {
        e = *request = exchange_open(context, c);
        return e ? begin(e, method, path) : MHD_NO;
    }
    if (*data_bytes) {
        const int goes_on = take_body(e, data, *data_bytes);
        *data_bytes = 0;
        return goes_on;
    }
    peer_phase(e->peer, PEER_WORKING);
    if (e->refusal.status)
        return http_refuse(e);
    return e->options ? answer_options(e) : e->route->answer(e);
}

// One line, in one piece, as many threads write. Requests to the model alone; with -v all.
static void say(const Exchange *e, bool whole)
{
    const Cli *cli = e->server->cli;
    char *text = NULL;
    size_t bytes = 0;
    if (cli->quiet || (!cli->verbose && !(e->route && e->route->post)))
        return;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return;
    fprintf(out, "llmc: %s %u", e->route ? e->route->name : "other", whole ? e->status : METRIC_GONE);
    if (!whole)
        fputs(", the client went", out);
    else if (e->refusal.status)
        fprintf(out, ", %s", e->refusal.code);
    complete_say(e, out);
    fputc('\n', out);
    fclose(out);
    if (text)
        fwrite(text, 1, bytes, stderr);
    free(text);
}

void http_completed(void *context, MhdConnection *c, void **request, int why)
{
    Server *s = context;
    Exchange *e = *request;
    (void)c;
    if (!e)
        return;
    complete_cancel(e);
    metrics_answer(&s->metrics, e->route ? e->route->name : "other", why == MHD_COMPLETED_OK ? e->status : METRIC_GONE);
    say(e, why == MHD_COMPLETED_OK);
    complete_end(e);
    peer_phase(e->peer, PEER_IDLE);
    drop_body(e);
    free(e->event);
    free(e);
    *request = NULL;
}

void http_connections(void *context, MhdConnection *c, void **socket_context, int what)
{
    Server *s = context;
    if (what == MHD_CONNECTION_STARTED) {
        const MhdInfo *info = s->mhd.info(c, MHD_INFO_SOCKET);
        *socket_context = info ? peer_open(&s->peers, info->socket) : NULL;
    } else if (*socket_context) {
        peer_close(*socket_context);
        *socket_context = NULL;
    }
}
