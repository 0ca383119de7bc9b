//$ -- wave: the tasks of one wave, by context where that matters, then its sync.
//$ params "what variants number workers poll_limit token_waves"
//$ -- here(step): else what is computed of it would be kept in registers through all waves.
//$ local where = "here(step) << 16 | " .. (number:find(" ", 1, true) and "(" .. number .. ")" or number)
//$ local nth = "(here(step) * " .. token_waves .. " + " .. number .. " + 1) * " .. workers .. "u"

// wave $(number): $(what)
//$ if trace then
if (threadIdx.x == 0)
    trace_ready(here(state), $(where), here(worker));
//$ end
//$ include("by_context.cu", { position = "position", inner = "wave_tasks.cu", where = where })
//$ if trace then
__syncthreads(); // all threads of the worker have done
if (threadIdx.x == 0)
    trace_done(here(state), $(where), here(worker));
//$ end
if (!grid_sync(request, $(nth), $(poll_limit)u, $(where), worker))
    return;
