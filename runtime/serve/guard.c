// guard.c: who may ask: the key, and which pages of a browser.
#include "guard.h"

#include <string.h>
#include <strings.h>

Caller guard_caller(const Mhd *mhd, MhdConnection *c)
{
    return (Caller){ .host = mhd->header(c, MHD_HEADERS, "Host"),
                     .origin = mhd->header(c, MHD_HEADERS, "Origin"),
                     .authorization = mhd->header(c, MHD_HEADERS, "Authorization") };
}

// Bytes of a Host's name without its port; brackets of an IPv6 address are part of it.
static size_t name_bytes(const char *host)
{
    const char *end = host[0] == '[' ? strchr(host, ']') : NULL;
    return end ? (size_t)(end + 1 - host) : strcspn(host, ":");
}

static bool is_name(const char *host, size_t bytes, const char *want)
{
    return bytes == strlen(want) && strncasecmp(host, want, bytes) == 0;
}

// A name that no other machine can be called by.
static bool is_local(const Guard *g, const char *host)
{
    static const char suffix[] = ".localhost";
    const size_t bytes = name_bytes(host), end = sizeof suffix - 1;
    const bool address = strncmp(host, "127.", 4) == 0 && strspn(host, "0123456789.") == bytes;
    return address || is_name(host, bytes, "localhost") || is_name(host, bytes, "[::1]") ||
           is_name(host, bytes, g->host) || (bytes > end && strncasecmp(host + bytes - end, suffix, end) == 0);
}

// http://HOST or https://HOST
static bool is_own_page(const Caller *caller)
{
    const char *origin = caller->origin;
    const size_t scheme = strncmp(origin, "http://", 7) == 0 ? 7 : strncmp(origin, "https://", 8) == 0 ? 8 : 0;
    return scheme && caller->host && strcasecmp(origin + scheme, caller->host) == 0;
}

const char *guard_cors(const Guard *g, const Caller *caller)
{
    if (!g->cors || !caller->origin)
        return NULL;
    return strcmp(g->cors, "*") == 0 || strcmp(g->cors, caller->origin) == 0 ? g->cors : NULL;
}

bool guard_page(const Guard *g, const Caller *caller, Refusal *refusal)
{
    static const char type[] = "invalid_request_error";
    if (g->loopback && caller->host && !is_local(g, caller->host))
        return refuse_as(refusal, 403, type, "host_not_allowed",
                         "this server is for its own machine; the request was sent to \"%.100s\"", caller->host);
    if (!caller->origin || is_own_page(caller) || guard_cors(g, caller))
        return true;
    return refuse_as(refusal, 403, type, "origin_not_allowed",
                     "a page of %.100s may not use this server; --cors %.100s allows it", caller->origin,
                     caller->origin);
}

// Takes as long for every text of one length.
static bool same_key(const char *key, const char *given)
{
    const size_t bytes = strlen(given);
    unsigned char different = strlen(key) != bytes;
    for (size_t i = 0, j = 0; i < bytes; ++i, j += key[j] != 0)
        different |= (unsigned char)(key[j] ^ given[i]);
    return !different;
}

bool guard_key(const Guard *g, const Caller *caller, Refusal *refusal)
{
    static const char scheme[] = "Bearer ";
    const char *given = caller->authorization;
    if (!g->key)
        return true;
    if (!given || strncasecmp(given, scheme, sizeof scheme - 1) != 0)
        return refuse_as(refusal, 401, "authentication_error", "missing_api_key",
                         "this server wants its key, as Authorization: Bearer KEY");
    return same_key(g->key, given + sizeof scheme - 1) ||
           refuse_as(refusal, 401, "authentication_error", "invalid_api_key",
                     "the API key is not the one of this server");
}
