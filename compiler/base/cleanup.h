// cleanup.h: the names of unfinished outputs, removed however the process ends.
#pragma once

// From here on SIGINT, SIGTERM and SIGHUP remove what is listed, then end the process as they would have; a mapped file
// that is cut off ends it with READ.
void cleanup_on_signals(void);

// Lists `path` (which must stay alive) / takes it off the list again.
void cleanup_add(const char *path);
void cleanup_forget(const char *path);

// Removes everything listed.
void cleanup_now(void);
