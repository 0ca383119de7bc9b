// listener.c: the address the server listens on.
#include "listener.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static bool is_port(const char *text)
{
    const size_t bytes = strspn(text, "0123456789");
    return bytes && bytes < 6 && !text[bytes] && atoi(text) <= 65535;
}

// Where the port's colon stands in [HOST]:PORT or HOST:PORT; NULL: there is none. A bare IPv6 address has several
// colons.
static const char *port_colon(const char *text)
{
    const char *last = strrchr(text, ':');
    if (text[0] == '[')
        return last && last[-1] == ']' ? last : NULL;
    return last == strchr(text, ':') ? last : NULL;
}

static RtStatus take_host(Listener *l, const char *from, size_t bytes, RtError *error)
{
    if (from[0] == '[' && bytes > 2 && from[bytes - 1] == ']') {
        ++from;
        bytes -= 2;
    }
    if (!bytes || bytes >= sizeof l->host)
        return rt_fail(error, ERR_OPTION_VALUE, "the host to serve on is \"%.*s\"", bytes < 100 ? (int)bytes : 100,
                       from);
    memcpy(l->host, from, bytes);
    l->host[bytes] = 0;
    return RT_OK;
}

RtStatus listener_parse(Listener *l, const char *text, const char *host, int port, RtError *error)
{
    *l = (Listener){ .host = "127.0.0.1", .port = "8080", .socket = -1 };
    const char *colon = text ? port_colon(text) : NULL;
    const char *text_port = colon ? colon + 1 : text && is_port(text) ? text : NULL;
    const size_t text_host = !text || text_port == text ? 0 : colon ? (size_t)(colon - text) : strlen(text);
    if (text_host && host)
        return rt_fail(error, ERR_USAGE, "--serve %.100s and --host %.100s both name a host", text, host);
    if (text_port && port >= 0)
        return rt_fail(error, ERR_USAGE, "--serve %.100s and --port %d both name a port", text, port);
    if (text_port && !is_port(text_port))
        return rt_fail(error, ERR_OPTION_VALUE, "--serve is \"%.100s\": expected HOST, PORT or HOST:PORT", text);
    if (text_port)
        snprintf(l->port, sizeof l->port, "%.5s", text_port);
    else if (port >= 0)
        snprintf(l->port, sizeof l->port, "%d", port);
    if (text_host)
        return take_host(l, text, text_host, error);
    return host ? take_host(l, host, strlen(host), error) : RT_OK;
}

static bool is_loopback(const struct sockaddr *address)
{
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;
    const struct sockaddr_in *four = (const struct sockaddr_in *)address;
    if (address->sa_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
    return ntohl(four->sin_addr.s_addr) >> 24 == 127;
}

// What came of port 0, and how a browser calls the address.
static void find_url(Listener *l)
{
    struct sockaddr_storage address;
    socklen_t bytes = sizeof address;
    if (getsockname(l->socket, (struct sockaddr *)&address, &bytes) != 0)
        return;
    const in_port_t port = address.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&address)->sin6_port
                                                         : ((struct sockaddr_in *)&address)->sin_port;
    const bool six = strchr(l->host, ':') != NULL;
    snprintf(l->url, sizeof l->url, "http://%s%s%s:%u", six ? "[" : "", l->host, six ? "]" : "", ntohs(port));
    l->loopback = is_loopback((struct sockaddr *)&address);
}

RtStatus listener_bind(Listener *l, RtError *error)
{
    const struct addrinfo hints = { .ai_flags = AI_PASSIVE, .ai_socktype = SOCK_STREAM };
    struct addrinfo *found = NULL;
    const int one = 1, failed = getaddrinfo(l->host, l->port, &hints, &found);
    if (failed)
        return rt_fail(error, ERR_ADDRESS, "%s: %s", l->host, gai_strerror(failed));
    int why = 0;
    for (const struct addrinfo *a = found; a && l->socket < 0; a = a->ai_next) {
        const int s = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, a->ai_protocol);
        if (s >= 0 && setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) == 0 &&
            bind(s, a->ai_addr, a->ai_addrlen) == 0) {
            l->socket = s;
            break;
        }
        why = errno;
        if (s >= 0)
            close(s);
    }
    freeaddrinfo(found);
    if (l->socket >= 0) {
        find_url(l);
        return RT_OK;
    }
    rt_fail(error, ERR_ADDRESS, "%s, port %s: %s", l->host, l->port, strerror(why));
    if (why == EADDRINUSE)
        rt_advise(error, "another program serves there; --port N takes another port, --port 0 any that is free");
    return RT_FAILED;
}

RtStatus listener_listen(Listener *l, RtError *error)
{
    if (listen(l->socket, SOMAXCONN) == 0)
        return RT_OK;
    rt_fail(error, ERR_ADDRESS, "%s: %s", l->url, strerror(errno));
    if (errno == EADDRINUSE)
        rt_advise(error, "another program serves there; --port N takes another port, --port 0 any that is free");
    return RT_FAILED;
}

void listener_close(Listener *l)
{
    if (l->socket >= 0)
        close(l->socket);
    l->socket = -1;
}
