//$ -- split_call: one function of a wave, called with what it needs.
//$ params "name kind layered best"
//$ if kind == "split_embed" then
$(name)(me, here(weights), here(state));
//$ elseif kind == "split_attend" then
$(name)(me, layer, split_start() + step, here(state));
//$ elseif kind == "split_select" then
$(name)(me, step, here(state));
//$ else
$(name)(me, $(layered and "layer, " or "")$(best and "step, " or "")here(weights), here(state));
//$ end
