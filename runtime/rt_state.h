// rt_state.h: what an open program holds; for the rt_*.c files and the command line.
#pragma once
#include "device.h"
#include "package_open.h"
#include "rows.h"
#include "rt_error.h"
#include "weights.h"

enum { ROPE_CHUNK = 128 }; // positions of the rope table made at once

struct Rt {
    RtOptions options;
    RtError error;
    char program[4096], weights_path[4096 + 8]; // files
    const char *name;                     // of the program, for messages
    Package package;
    WeightsFile weights;
    bool bundled;  // weights lie in the program
    bool random;   // weights made from `seed`
    uint64_t seed; // 0 with weights from a file
    const DeviceApi *api;
    Device *device;
    DeviceInfo info;
    int named_devices; // that the name asked for is part of; the first was taken
    uint64_t memory, state; // device addresses: weights; state
    Mailbox *mailbox;
    uint64_t mailbox_address;
    float *rope_chunk; // [ROPE_CHUNK][head_dim / 2][2]
    int rope_done;     // positions whose part of the rope table is on the device
    int context;       // positions that may be used
    int position;      // positions in the K/V cache
    uint32_t *known;   // [context] the id at each position in the cache
    uint8_t *selectable; // a bit an id: it may be chosen
    Request choice;      // its fields of how ids are chosen, for the next launches
    float *bias;         // [vocab] added to logits, as the device has it
    int history_sent;    // positions whose ids the device has
    Told told;           // of the id that a sink is called for, where that is asked for
    Told next_told;      // of `next`
    bool has_next;     // next: the id chosen after the last position
    bool next_given;   // it was passed to a sink
    uint32_t next;
    RtLoad load;
    double token_us; // of the last launch; 0: none yet
    const PkgSchedule *launched; // the last launch that ended well; NULL: none yet
    uint32_t launched_position, launched_tokens; // its first position and its complete tokens
    uint32_t tag;    // the next launch's first; 0 is in memory that was never written
};

// One launch of a decode kernel, from rt->position on.
typedef struct Launch {
    const uint32_t *ids; // [forced]
    uint32_t forced, tokens; // tokens at most launch_limit()
    RtSink *sink;        // gets the id chosen after each token; NULL where forced is over 1
    void *sink_context;
    uint32_t accepted;   // result: tokens that count; fewer than `tokens` at EOS, interruption or the sink's word
    uint32_t last;       // result: the id chosen after the last accepted token
    bool eos, sink_ended, interrupted; // result
} Launch;

// Most tokens one launch from this position on may have.
uint32_t launch_limit(const Rt *rt);

// Runs a launch and advances rt->position. Errors: what the kernel reports as a fault, or the device.
RtStatus launch_run(Rt *rt, Launch *launch);

// The rope table covers positions [0, positions) on the device afterwards.
RtStatus rope_extend(Rt *rt, int positions);

// Says what a fault word means for a launch that began at `position`; RT_FAILED.
RtStatus fault_report(Rt *rt, uint64_t fault, const PkgSchedule *schedule, uint32_t position);

// "NVIDIA H200 (sm_90, 132 SMs)"; a CPU's name alone.
typedef struct DeviceText {
    char text[168];
} DeviceText;
DeviceText device_text(const DeviceInfo *info);

// Facts of a device that is not opened for good.
RtStatus device_look_at(const DeviceApi *api, int index, DeviceInfo *info, RtError *error);

// Picks, checks and opens the device of a program; loads its code (rt_device.c).
RtStatus device_open(Rt *rt);

// One device allocation, filled with the weights (rt_memory.c).
RtStatus memory_open(Rt *rt);

// Which ids may be chosen, on the device too (rt_selectable.c). Error: PACKAGE.
RtStatus selectable_open(Rt *rt);
bool rt_selectable(const Rt *rt, uint32_t id);

// How the next launches choose; NULL: the largest logit (rt_choose.c). Error: USAGE.
struct Sampling;
RtStatus rt_choose(Rt *rt, const struct Sampling *s);
// Before a launch.
RtStatus choose_begin(Rt *rt);

// Forgets the context and fills K and V of positions [0, n) by hash.h.
RtStatus rt_fill_cache(Rt *rt, int n);

// What a reference over a program's weights reads; it must outlive the reference.
typedef struct RefSource {
    Rows rows;
    RefPlan plan;
    RefWeights weights;
} RefSource;

// The reference over this program's weights, with a cache of `context` positions and `positions` at once; NULL: no memory.
Reference *rt_reference(const Rt *rt, RefSource *source, int context, int positions);

bool rt_is_eos(const Rt *rt, uint32_t id);

double now_seconds(void);
