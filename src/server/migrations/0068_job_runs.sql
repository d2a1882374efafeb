-- How the turns of each background job ended, over all nodes: what pg-boss keeps of them is gone after a day.
create table job_runs (
  name           text primary key,
  -- When a worker that knows the job first started here: a job that never ran is late from then on.
  registered_at  timestamptz not null default clock_timestamp(),
  succeeded_at   timestamptz,
  failed_at      timestamptz,
  -- It is late when it did not succeed for longer than this.
  late_seconds   int not null check (late_seconds > 0)
);
call all_accounts_table('job_runs', 'select, insert, update');
