import { expect } from 'vitest';
import { openDatabase } from '#server/infra/postgres/database.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { signedIn, test } from '#tests/support/app/running-app.ts';
import { jobsOf } from '#server/app/jobs.ts';

test('each job runs on a database in use', async ({ db, openApp }) => {
  const { container, lines } = await openApp({ env: { LOG_LEVEL: 'warn' } });
  await signedIn(db, { saldo: 50_000 });
  const failed: string[] = [];
  for (const { name, run } of jobsOf(container)) {
    await run().catch((error: unknown) => failed.push(`${name}: ${String(error)}`));
  }
  expect(failed).toEqual([]);
  expect(lines).toEqual([]);
});

test('/readyz and the metrics report jobs that do not run, until they do', async ({
  db,
  openApp,
}) => {
  const lock = openDatabase(db.url, { max: 1, as: 'owner', name: 'tests' });
  const held = Promise.withResolvers<void>();
  const holding = lock.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(7206218)`;
    await held.promise;
  });
  const { app } = await openApp({ works: true });
  const checks = async () => {
    const { body, statusCode } = await app.inject({ url: '/readyz' });
    return { status: statusCode, jobs: JSON.parse(body).checks.jobs };
  };
  await waitFor(async () => {
    const cancelled = await db.owner`
      select pg_cancel_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like '%jobs%'
        and wait_event = 'advisory'`;
    expect(cancelled).toHaveLength(1);
  });
  // A process that also serves requests keeps serving them.
  await waitFor(async () => expect(await checks()).toEqual({ status: 200, jobs: 'failing' }));
  held.resolve();
  await holding;
  await waitFor(async () => expect(await checks()).toEqual({ status: 200, jobs: 'ok' }));
  const { body } = await app.inject({ url: '/metrics' });
  expect(body).toContain('kabari_check_ok{check="jobs"} 1\n');
  expect(body).toContain('kabari_job_late{name="ledger-check"} 0\n');
  await lock.end();
});
