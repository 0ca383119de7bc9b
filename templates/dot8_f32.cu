//$ -- dot8_f32: acc += the eight floats in the float4s `q`_0, `q`_1 times the eight floats x0, x1, in order of columns.
//$ params "acc q x0 x1"
//$ for i, v in ipairs { x0, x1 } do
//$ for _, c in ipairs { "x", "y", "z", "w" } do
$(acc) = fmaf($(q)_$(i - 1).$(c), $(v).$(c), $(acc));
//$ end
//$ end
