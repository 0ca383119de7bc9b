// server.h: what all threads of the server share.
#pragma once
#include "guard.h"
#include "listener.h"
#include "metrics.h"
#include "peers.h"
#include "queue.h"
#include "../template.h"

enum {
    BODY_MOST = 8 << 20,     // bytes of one request's body
    BODIES_MOST = 64 << 20,  // of all that are under way
    DRAIN_MOST = 64 << 20,   // of a body that is refused, read so that the client gets to see why
};

typedef struct Server {
    const Cli *cli;
    Package package;
    TokenizerView view;
    Template chat; // head NULL: the program has none
    Rt *rt; // the main thread's
    const char *model;
    int context;     // positions
    int64_t started; // seconds since 1970
    Listener listener;
    Guard guard;
    Mhd mhd;
    MhdDaemon *daemon;
    Peers peers;
    Queue queue;
    Metrics metrics;
    int signals; // a signalfd: SIGINT, SIGTERM
    // Changed by many threads, atomically.
    uint64_t requests;
    int64_t body_bytes; // of all requests under way
    int context_used;
} Server;
