//$ -- add8_bf16: o_0..o_7 += p times the eight bf16 in the uint4 `v`.
//$ params "o p v"
//$ for i, word in ipairs { "x", "y", "z", "w" } do
$(o)_$(2 * i - 2) = fmaf($(p), bf16_lo($(v).$(word)), $(o)_$(2 * i - 2));
$(o)_$(2 * i - 1) = fmaf($(p), bf16_hi($(v).$(word)), $(o)_$(2 * i - 1));
//$ end
