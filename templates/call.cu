//$ -- call: one task function, called with what it needs.
//$ params "name kind layered where"
//$ if kind == "embed" then
$(name)(weights, state);
//$ elseif kind == "gemv_rows" and layered then
$(name)(worker, layer, $(where), weights, state);
//$ elseif kind == "gemv_rows" then
$(name)(worker, $(where), weights, state);
//$ elseif kind == "attend" then
$(name)(task, layer, position, $(where), worker, state);
//$ elseif kind == "ffn_lanes" then
$(name)(worker, layer, weights, state);
//$ elseif kind == "reduce" then
$(name)(worker, $(where), state);
//$ elseif kind == "select" then
$(name)(step, head_runs, state);
//$ else
//$ error("no call for the kernel kind " .. kind)
//$ end
