// routes.c: what stands at which path, and the answers that need no model.
#include "routes.h"
#include "complete.h"
#include "page.h"

#include <string.h>

static int answer_page(Exchange *e)
{
    return http_send(e, 200, "text/html; charset=utf-8", serve_page, (size_t)(serve_page_end - serve_page));
}

static int answer_health(Exchange *e)
{
    static const char text[] = "{\"status\":\"ok\"}";
    return http_send(e, 200, "application/json", text, sizeof text - 1);
}

static int answer_metrics(Exchange *e)
{
    Server *s = e->server;
    MetricsNow now = { .connections = peers_count(&s->peers),
                       .context = s->context,
                       .context_used = __atomic_load_n(&s->context_used, __ATOMIC_RELAXED) };
    queue_now(&s->queue, &now.waiting, &now.running);
    if (http_write(e))
        metrics_write(&s->metrics, &now, e->out);
    return http_written(e, 200, "text/plain; version=0.0.4");
}

static int answer_model_list(Exchange *e)
{
    Server *s = e->server;
    const Head head = {
        .package = &s->package, .model = s->model, .created = s->started, .chat = s->chat.head != NULL
    };
    if (http_write(e))
        answer_models(&head, s->context, !e->model_path, e->out);
    return http_written(e, 200, "application/json");
}

static const Route routes[] = {
    { "/", "/", false, true, answer_page },
    { "/health", "/health", false, true, answer_health },
    { "/metrics", "/metrics", false, false, answer_metrics },
    { "/v1/models", "/v1/models", false, false, answer_model_list },
    { "/v1/models/*", "/v1/models", false, false, answer_model_list },
    { "/v1/chat/completions", "/v1/chat/completions", true, false, complete_chat },
    { "/v1/completions", "/v1/completions", true, false, complete_text },
};

static bool matches(const char *pattern, const char *path)
{
    const size_t bytes = strcspn(pattern, "*");
    return strncmp(pattern, path, bytes) == 0 && (pattern[bytes] || !path[bytes]);
}

const Route *route_find(Exchange *e, const char *method, const char *path)
{
    const Route *route = NULL;
    for (size_t i = 0; i < sizeof routes / sizeof *routes && !route; ++i)
        if (matches(routes[i].path, path))
            route = &routes[i];
    const bool get = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
    const char *star = route ? strchr(route->path, '*') : NULL;
    const char *name = star ? path + (star - route->path) : NULL;
    e->model_path = name != NULL;
    if (!route)
        refuse_as(&e->refusal, 404, "invalid_request_error", "not_found", "there is nothing at %.100s", path);
    else if (route->post ? strcmp(method, "POST") != 0 : !get)
        refuse_as(&e->refusal, 405, "invalid_request_error", "method_not_allowed", "%s takes %s, not %.20s",
                  route->path, route->post ? "POST" : "GET", method);
    else if (name && strcmp(name, e->server->model) != 0)
        refuse_as(&e->refusal, 404, "invalid_request_error", "model_not_found",
                  "there is no model \"%.100s\" here: this is \"%s\"", name, e->server->model);
    if (e->options)
        e->refusal.status = 0;
    return route;
}
