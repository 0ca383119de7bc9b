//$ -- gemv_end: what lane 0 does with the dot product of row + r.
//$ params "r rows best has_plus" -- selectable_at with best
//$ if r > 0 then
if (row + $(r) < last) {
//$ else
{
//$ end
    //$ if has_plus then
    const float v = ((const float*)(state + $(plus_at)))[row + $(r)] + acc$(r);
    //$ else
    const float v = acc$(r);
    //$ end
    //$ if best or has_plus then
    if (!is_finite(v))
        fault(request, where, worker, 1u);
    //$ end
    y[row + $(r)] = v;
    //$ if best then
    if (v > most && is_selectable(state + $(selectable_at), row + $(r))) {
        most = v;
        most_row = row + $(r);
    }
    //$ end
}
