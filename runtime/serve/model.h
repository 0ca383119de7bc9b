// model.h: the one thread that the model belongs to: a job after the other.
#pragma once
#include "server.h"

// Answers one job; RT_FAILED: the device is lost, and with it every later answer (rt_error).
RtStatus model_answer(Server *s, Job *job);
