//$ -- task_rows: the rows of this worker's task: `first` up to `last`.
//$ params "name units tasks granule irregular"
//$ if irregular then
const int first = $(name)_rows[worker][0], last = $(name)_rows[worker][1];
//$ else
const int first = worker * $(units) / $(tasks)$(granule > 1 and " * " .. granule or "");
const int last = (worker + 1) * $(units) / $(tasks)$(granule > 1 and " * " .. granule or "");
//$ end
