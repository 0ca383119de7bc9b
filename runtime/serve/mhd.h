// mhd.h: the entry points of libmicrohttpd that the server calls, declared here so that no microhttpd.h is needed.
// Types and numbers are those of its public interface, version 0.9.64 and later (libmicrohttpd.so.12).
#pragma once
#include "../rt_error.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct MhdDaemon MhdDaemon;
typedef struct MhdConnection MhdConnection;
typedef struct MhdResponse MhdResponse;

enum {
    MHD_NO = 0,
    MHD_YES = 1,
    MHD_THREAD_PER_CONNECTION = 4, // flags of a daemon
    MHD_INTERNAL_POLLING_THREAD = 8,
    MHD_POLL = 64,
    MHD_ITC = 1024,
    MHD_OPTION_END = 0,
    MHD_OPTION_MEMORY_LIMIT = 1,     // size_t: bytes of headers
    MHD_OPTION_CONNECTION_LIMIT = 2, // unsigned
    MHD_OPTION_COMPLETED = 4,        // MhdCompleted *, void *
    MHD_OPTION_LISTEN_SOCKET = 12,   // int
    MHD_OPTION_STACK_BYTES = 19,     // size_t
    MHD_OPTION_CONNECTIONS = 27,     // MhdConnections *, void *
    MHD_HEADERS = 1,                 // kind of a value
    MHD_CONNECTION_STARTED = 0,      // what a MhdConnections is told; all else: closed
    MHD_COMPLETED_OK = 0,            // why a MhdCompleted is called
    MHD_INFO_SOCKET = 6, // of a connection
    MHD_INFO_SOCKET_CONTEXT = 7,
    MHD_FREE = 1, // the response frees its buffer
    MHD_KEEP = 0, // it stays
};
#define MHD_UNKNOWN_BYTES UINT64_MAX
#define MHD_END_OF_STREAM ((ssize_t) - 1)
#define MHD_END_WITH_ERROR ((ssize_t) - 2)

typedef union MhdInfo {
    int socket;
    void *context;
} MhdInfo;

// Called once a request's headers are there, for each part of its body, and once all of it is there.
typedef int MhdAccess(void *context, MhdConnection *c, const char *path, const char *method, const char *version,
                      const char *data, size_t *data_bytes, void **request);
typedef void MhdCompleted(void *context, MhdConnection *c, void **request, int why);
typedef void MhdConnections(void *context, MhdConnection *c, void **socket_context, int what);
typedef ssize_t MhdReader(void *context, uint64_t at, char *to, size_t most);

// ENTRY(type, field, symbol, parameters): the exact name asked of dlsym.
#define MHD_ENTRIES(ENTRY) \
    ENTRY(MhdDaemon *, start, "MHD_start_daemon", \
          (unsigned flags, uint16_t port, void *accept, void *accept_context, MhdAccess *access, void *context, ...)) \
    ENTRY(void, stop, "MHD_stop_daemon", (MhdDaemon * daemon)) \
    ENTRY(int, quiesce, "MHD_quiesce_daemon", (MhdDaemon * daemon)) \
    ENTRY(const char *, header, "MHD_lookup_connection_value", (MhdConnection * c, int kind, const char *name)) \
    ENTRY(const MhdInfo *, info, "MHD_get_connection_info", (MhdConnection * c, int what, ...)) \
    ENTRY(MhdResponse *, buffer, "MHD_create_response_from_buffer", (size_t bytes, void *from, int mode)) \
    ENTRY(MhdResponse *, reader, "MHD_create_response_from_callback", \
          (uint64_t bytes, size_t block_bytes, MhdReader * reader, void *context, void (*end)(void *context))) \
    ENTRY(int, add_header, "MHD_add_response_header", (MhdResponse * r, const char *name, const char *value)) \
    ENTRY(int, queue, "MHD_queue_response", (MhdConnection * c, unsigned status, MhdResponse *r)) \
    ENTRY(void, destroy, "MHD_destroy_response", (MhdResponse * r)) \
    ENTRY(const char *, version, "MHD_get_version", (void))

typedef struct Mhd {
#define MHD_FIELD(type, field, symbol, parameters) type(*field) parameters;
    MHD_ENTRIES(MHD_FIELD)
#undef MHD_FIELD
} Mhd;

// Opens libmicrohttpd and finds every entry point. The library stays loaded. Error: LIBRARY_MISSING.
RtStatus mhd_open(Mhd *mhd, RtError *error);
