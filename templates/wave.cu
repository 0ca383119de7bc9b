//$ -- wave: the tasks of one wave, then its sync.
//$ params "name kind what tasks irregular if_head number workers poll_limit token_waves"
//$ -- here(step): else what is computed of it would be kept in registers through all waves.
//$ local where = "here(step) << 16 | " .. (number:find(" ", 1, true) and "(" .. number .. ")" or number)
//$ local nth = "(here(step) * " .. token_waves .. " + " .. number .. " + 1) * " .. workers .. "u"
//$ -- Tasks of a table may belong to any worker; a feed-forward part is its worker's number, table or not.
//$ local few = (not irregular or kind == "ffn_lanes") and tasks < workers and "worker < " .. tasks
//$ local head = if_head and "head_runs(request, step)"
//$ local condition = head and few and head .. " && " .. few or head or few

// wave $(number): $(what)
//$ if trace then
if (threadIdx.x == 0)
    trace_ready(here(state), $(where), here(worker));
//$ end
//$ if kind == "attend" and irregular then
for (int i = $(name)_begin[worker]; i < $(name)_begin[worker + 1]; ++i) {
    const int task = $(name)_tasks[i];
    //$ include("call.cu", { where = where })
}
//$ elseif kind == "attend" and tasks > workers then
for (int task = worker; task < $(tasks); task += $(workers)) {
    //$ include("call.cu", { where = where })
}
//$ elseif kind == "attend" then
//$ if few then
if (worker < $(tasks)) {
//$ else
{
//$ end
    const int task = worker;
    //$ include("call.cu", { where = where })
}
//$ elseif condition then
if ($(condition)) {
    //$ include("call.cu", { where = where })
}
//$ else
//$ include("call.cu", { where = where })
//$ end
//$ if trace then
__syncthreads(); // all threads of the worker have done
if (threadIdx.x == 0)
    trace_done(here(state), $(where), here(worker));
//$ end
if (!grid_sync(request, $(nth), $(poll_limit)u, $(where), worker))
    return;
