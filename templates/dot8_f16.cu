//$ -- dot8_f16: acc += the eight f16 in the uint4 `q` times the eight floats x0, x1, in order of columns.
//$ params "acc q x0 x1"
//$ for i, word in ipairs { "x", "y", "z", "w" } do
//$ local v = i <= 2 and x0 or x1
//$ local a, b = ({ "x", "z" })[(i - 1) % 2 + 1], ({ "y", "w" })[(i - 1) % 2 + 1]
$(acc) = fmaf(f16_lo($(q).$(word)), $(v).$(a), $(acc));
$(acc) = fmaf(f16_hi($(q).$(word)), $(v).$(b), $(acc));
//$ end
