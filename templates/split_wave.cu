//$ -- split_wave: one wave, by context where that matters; its packets carry its own tag.
//$ params "variants number token_waves"
split_here(me);
me.where = (unsigned)step << 16 | ($(number));
me.tag = load_flag(split_flags() + FLAG_TAG) + step * $(token_waves)u + ($(number));
//$ for k, variant in ipairs(variants) do
//$ if #variants > 1 then
$(k > 1 and "} else " or "")$(k < #variants and "if (split_start() + step < " .. variant.below .. ") " or ""){
    //$ include("split_call.cu", variant)
//$ else
//$ include("split_call.cu", variant)
//$ end
//$ end
//$ if #variants > 1 then
}
//$ end
//$ if trace then
if (me.thread == 0)
    trace_done(state, me.where, me.worker);
//$ end
