//$ -- wave: the tasks of one wave, then its sync.
//$ params "wave number workers poll_limit"
//$ local where = "step << 16 | " .. (number:find(" ", 1, true) and "(" .. number .. ")" or number)
//$ local skip = wave.if_head and "head_runs" or nil
//$ local few = wave.tasks < workers and "worker < " .. wave.tasks or nil
//$ local condition = skip and few and skip .. " && " .. few or skip or few
//$ local call = wave.name .. "(" .. wave.args .. ")"

// wave $(number): $(wave.what)
//$ if wave.list then
for (int i = $(wave.list)_begin[worker]; i < $(wave.list)_begin[worker + 1]; ++i) {
    const int task = $(wave.list)_task[i];
    $(call);
    __syncthreads();
}
//$ elseif wave.tasks > workers then
for (int task = worker; task < $(wave.tasks); task += $(workers)) {
    $(call);
    __syncthreads();
}
//$ elseif condition then
if ($(condition))
    $(call);
//$ else
$(call);
//$ end
arrivals += $(workers)u;
if (!grid_sync(request, arrivals, $(poll_limit)u, $(where), worker))
    return;
