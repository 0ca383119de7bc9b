//$ -- ffn_word: one 16-byte word of each of `rows` rows of gate and up, at word `at` of the row.
//$ params "at rows words gate_dot8"
//$ for r = 0, rows - 1 do
const uint4 p$(r) = load_weight(g$(r) + $(at)), q$(r) = load_weight(u$(r) + $(at));
//$ end
const float4 x0 = xs[$(at) + lane], x1 = xs[$(words) + $(at) + lane];
//$ for r = 0, rows - 1 do
//$ include(gate_dot8, { acc = "gate" .. r, q = "p" .. r, x0 = "x0", x1 = "x1" })
//$ include(gate_dot8, { acc = "up" .. r, q = "q" .. r, x0 = "x0", x1 = "x1" })
//$ end
