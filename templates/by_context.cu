//$ -- by_context: a template for each range of contexts in which a wave differs, chosen by `position`, an expression.
//$ params "variants position inner"
//$ for k, variant in ipairs(variants) do
//$ if #variants > 1 then
$(k > 1 and "} else " or "")$(k < #variants and "if (" .. position .. " < " .. variant.below .. ") " or ""){
    //$ include(inner, variant)
//$ else
//$ include(inner, variant)
//$ end
//$ end
//$ if #variants > 1 then
}
//$ end
