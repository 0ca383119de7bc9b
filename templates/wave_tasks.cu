//$ -- wave_tasks: what this worker does of one wave.
//$ params "name kind tasks irregular if_head workers where"
//$ -- Tasks of a table may belong to any worker; a feed-forward part is its worker's number, table or not.
//$ local few = (not irregular or kind == "ffn_lanes") and tasks < workers and "worker < " .. tasks
//$ local head = if_head and "head_runs(request, step)"
//$ local condition = head and few and head .. " && " .. few or head or few
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
