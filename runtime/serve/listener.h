// listener.h: the address the server listens on.
#pragma once
#include "../rt_error.h"

#include <stdbool.h>

typedef struct Listener {
    char host[256], port[8]; // as the user wrote them; port "0": any
    int socket;              // bound; -1: not
    bool loopback;           // reachable from this machine alone
    char url[300];
} Listener;

// [HOST][:PORT] or PORT, with the defaults 127.0.0.1 and 8080; text "" or NULL: both. host and port, where given, say the
// same on their own; port -1: not given, else at most 65535. Error: OPTION_VALUE, USAGE.
RtStatus listener_parse(Listener *l, const char *text, const char *host, int port, RtError *error);
// Error: ADDRESS.
RtStatus listener_bind(Listener *l, RtError *error);
RtStatus listener_listen(Listener *l, RtError *error);
void listener_close(Listener *l);
