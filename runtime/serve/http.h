// http.h: one request over HTTP: its headers, its body, its answer.
#pragma once
#include "answer.h"
#include "server.h"

typedef struct Exchange Exchange;

// What stands at a path.
typedef struct Route {
    const char *path; // ends with * where anything may follow
    const char *name; // of the metrics
    bool post;        // else GET, and HEAD
    bool open;        // needs no key
    int (*answer)(Exchange *e);
} Route;

struct Exchange {
    Server *server;
    MhdConnection *connection;
    Peer *peer;
    const Route *route; // NULL: none
    Caller caller;
    Refusal refusal; // status 0: none so far
    bool options;    // a browser asks what it may do
    bool model_path; // /v1/models/NAME of our model
    char *body;
    size_t body_bytes, body_room;
    uint64_t drained;
    unsigned status; // of the answer; 0: none yet
    FILE *out; // of http_write
    char *text;
    size_t text_bytes;

    // Of a request to the model.
    Ask ask;
    Json json;
    Job job;
    bool has_job;
    size_t lost; // bytes of the prompt that the vocabulary has no token for
    Head head;
    // Its stream.
    size_t seen; // bytes of the job's text in events so far
    size_t told, offset; // entries of its log-probabilities, and characters of their tokens
    char *event;
    size_t event_bytes, event_sent;
    bool begun, ended;
};

// For libmicrohttpd.
MhdAccess http_access;
MhdCompleted http_completed;
MhdConnections http_connections;

// Answers with a text that stays; or with what is written to http_write's file (NULL: no memory, and http_written closes the
// connection).
int http_send(Exchange *e, unsigned status, const char *type, const void *text, size_t bytes);
FILE *http_write(Exchange *e);
int http_written(Exchange *e, unsigned status, const char *type);
int http_refuse(Exchange *e); // with e->refusal
// Answers as `reader` has it, until it says MHD_END_OF_STREAM.
int http_stream(Exchange *e, const char *type, MhdReader *reader);
