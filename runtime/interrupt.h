// interrupt.h: Ctrl-C without a signal handler: SIGINT stays blocked and is asked for.
#pragma once
#include <stdbool.h>

// Before any thread is started (the driver's inherit the mask): SIGINT waits until it is asked for.
void interrupt_hold(void);

// Did it come since the last call? After a first one the next ends the program as SIGINT does by default (130 in a shell).
bool interrupt_pending(void);

// From here on SIGINT ends the program at once.
void interrupt_release(void);

// Ends the program as SIGINT does.
void interrupt_leave(void);

// A descriptor that becomes readable when SIGINT comes and is held; -1: it never will.
int interrupt_descriptor(void);
