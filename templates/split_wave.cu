//$ -- split_wave: one wave; its packets carry its own tag.
//$ params "name kind layered best number token_waves"
split_here(me);
me.where = (unsigned)step << 16 | ($(number));
me.tag = load_flag(split_flags() + FLAG_TAG) + step * $(token_waves)u + ($(number));
//$ if kind == "split_embed" then
$(name)(me, here(weights), here(state));
//$ elseif kind == "split_attend" then
$(name)(me, layer, split_start() + step, here(state));
//$ elseif kind == "split_select" then
$(name)(me, step, here(state));
//$ else
$(name)(me, $(layered and "layer, " or "")$(best and "step, " or "")here(weights), here(state));
//$ end
//$ if trace then
if (me.thread == 0)
    trace_done(state, me.where, me.worker);
//$ end
