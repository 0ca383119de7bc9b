//$ -- split_wave: one wave, by context where that matters; its packets carry its own tag.
//$ params "variants number token_waves"
split_here(me);
me.where = (unsigned)step << 16 | ($(number));
me.tag = load_flag(split_flags() + FLAG_TAG) + step * $(token_waves)u + ($(number));
//$ include("by_context.cu", { position = "split_start() + step", inner = "split_call.cu" })
//$ if trace then
if (me.thread == 0)
    trace_done(state, me.where, me.worker);
//$ end
