//$ -- call: one task function, called with what it needs.
//$ params "name kind layered where"
//$ if kind == "embed" then
$(name)(here(weights), here(state));
//$ elseif kind == "gemv_rows" and layered then
$(name)(here(worker), layer, $(where), here(weights), here(state));
//$ elseif kind == "gemv_rows" then
$(name)(here(worker), $(where), here(weights), here(state));
//$ elseif kind == "attend" then
$(name)(here(task), layer, position, $(where), worker, here(state));
//$ elseif kind == "ffn_lanes" then
$(name)(here(worker), layer, here(weights), here(state));
//$ elseif kind == "reduce" then
$(name)(here(worker), $(where), here(state));
//$ elseif kind == "select" then
$(name)(here(worker), step, $(where), here(state));
//$ else
//$ error("no call for the kernel kind " .. kind)
//$ end
