//$ -- add8_f32: o_0..o_7 += p times the eight floats in the float4s `v`_0, `v`_1.
//$ params "o p v"
//$ for i = 0, 1 do
//$ for k, c in ipairs { "x", "y", "z", "w" } do
$(o)_$(4 * i + k - 1) = fmaf($(p), $(v)_$(i).$(c), $(o)_$(4 * i + k - 1));
//$ end
//$ end
