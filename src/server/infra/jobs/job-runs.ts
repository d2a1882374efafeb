import type { Sql } from '#server/infra/postgres/database.ts';
import type { Sample } from '#server/infra/observability/metrics.ts';

/** Last success and failure of a job, over all nodes. */
export type JobRuns = {
  name: string;
  succeeded_at: Date | null;
  failed_at: Date | null;
  /** No turn succeeded for longer than the time between two of them and a turn itself explain. */
  is_late: boolean;
};

const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;

/** After how many seconds without a success a job is late: a turn and a bit were missed, and none is under way. */
export function lateAfterSeconds(cron: string, secondsMax: number): number {
  const turn = turnSeconds(cron);
  return turn + Math.min(turn, HOUR_S) + secondsMax;
}

/** The seconds between two turns, for the schedules in use: every minute, every n minutes, hourly, daily. */
function turnSeconds(cron: string): number {
  const [minute = '', hour, ...days] = cron.split(' ');
  const every = /^\*(?:\/(\d+))?$/.exec(minute);
  if (days.join(' ') !== '* * *') throw new Error(`no job runs by days: ${cron}`);
  if (every && hour === '*') return Number(every[1] ?? 1) * MINUTE_S;
  return hour === '*' ? HOUR_S : DAY_S;
}

/** Notes which jobs there are, before the first turn: a job that never runs is late as well. */
export async function registerJobs(
  allAccountsSql: Sql,
  jobs: readonly { name: string; lateSeconds: number }[],
): Promise<void> {
  await allAccountsSql`
    insert into job_runs (name, late_seconds)
    select * from unnest(
      ${jobs.map(({ name }) => name)}::text[],
      ${jobs.map(({ lateSeconds }) => lateSeconds)}::int[]
    )
    on conflict (name) do update set late_seconds = excluded.late_seconds
      where job_runs.late_seconds <> excluded.late_seconds`;
}

export async function recordSuccess(allAccountsSql: Sql, name: string): Promise<void> {
  await allAccountsSql`
    update job_runs set succeeded_at = clock_timestamp() where name = ${name}`;
}

export async function recordFailure(allAccountsSql: Sql, name: string): Promise<void> {
  await allAccountsSql`update job_runs set failed_at = clock_timestamp() where name = ${name}`;
}

/** Last success and failure of each job, by name; empty before the first worker ran. */
export async function readJobRuns(allAccountsSql: Sql): Promise<JobRuns[]> {
  const found = await allAccountsSql<JobRuns[]>`
    select name, succeeded_at, failed_at,
      clock_timestamp() - coalesce(succeeded_at, registered_at)
        > late_seconds * interval '1 second' as is_late
    from job_runs order by name`;
  return [...found];
}

/** The samples of one figure of jobs, by name. */
export async function jobSamples(
  allAccountsSql: Sql,
  valueOf: (job: JobRuns) => number | undefined,
): Promise<Sample[]> {
  const jobs = await readJobRuns(allAccountsSql);
  return jobs.flatMap((job) => {
    const value = valueOf(job);
    return value === undefined ? [] : [{ labels: { name: job.name }, value }];
  });
}

/** A job of which a turn failed, after all its tries; `is_over`: a later turn went well. */
export type FailedJob = { name: string; failed_at: Date; is_over: boolean };

/** Jobs that failed within the last 24 hours, the newest first; none before jobs ever ran here. */
export async function failedJobs(allAccountsSql: Sql): Promise<FailedJob[]> {
  const [made] = await allAccountsSql<{ yes: boolean }[]>`
    select to_regclass('pgboss.job') is not null as yes`;
  if (!made?.yes) return [];
  const found = await allAccountsSql<FailedJob[]>`
    select f.name, f.failed_at, exists (
      select from pgboss.job j
      where j.name = f.name and j.state = 'completed' and j.completed_on > f.failed_at
    ) as is_over
    from (
      select name, max(completed_on) as failed_at from pgboss.job
      where state = 'failed' and completed_on > clock_timestamp() - interval '24 hours'
        and name not like '\\_\\_pgboss%'
      group by name
    ) f order by f.failed_at desc`;
  return [...found];
}
