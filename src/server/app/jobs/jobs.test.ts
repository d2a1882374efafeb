import { expect } from 'vitest';
import { signedIn, test } from '#tests/support/app/running-app.ts';
import { jobsOf } from './jobs.ts';

test('each job does its turn on a database in use', async ({ db, openApp }) => {
  const { container, lines } = await openApp({ env: { LOG_LEVEL: 'warn' } });
  await signedIn(db, { saldo: 50_000 });
  const failed: string[] = [];
  for (const { name, run } of jobsOf(container)) {
    await run().catch((error: unknown) => failed.push(`${name}: ${String(error)}`));
  }
  expect(failed).toEqual([]);
  expect(lines).toEqual([]);
});
