//$ -- task_table: where tasks follow no rule: the rows of each worker, as the plan has them.
//$ params "name irregular rows_table workers"
//$ if irregular then
__constant__ int $(name)_rows[$(workers)][2] = { // first row and the one behind the last, worker after worker
    //$ for _, row in ipairs(rows_table) do
    { $(row.first), $(row.last) },
    //$ end
};
//$ end
