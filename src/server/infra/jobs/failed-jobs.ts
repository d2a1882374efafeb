import type { Sql } from '#server/infra/postgres/database.ts';

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
