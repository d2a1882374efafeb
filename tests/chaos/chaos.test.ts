import { describe, expect, test } from 'vitest';
import { formatOutcome } from './show.ts';
import { runScenario } from './trial.ts';

/** Both run at the same time: most of a run waits for a dead owner's leases to expire. */
const seeds = { 'its own database': 7, 'a database apart, and two nodes': 8 };
const SECONDS = 8;
/** The same faults under a third of the load, except in `npm run test:all`. */
const thinkMsMax = process.env['TEST_ALL'] === '1' ? undefined : 500;
const RUN_MS_MAX = 600_000;

describe('while the app and its database are killed again and again, with', () => {
  for (const [world, seed] of Object.entries(seeds)) {
    test.concurrent(
      `${world}: sends and charges every accepted message once (seed ${seed})`,
      async () => {
        const outcome = await runScenario({ seed, seconds: SECONDS, thinkMsMax });
        expect(outcome.broken, formatOutcome(outcome)).toEqual([]);
      },
      RUN_MS_MAX,
    );
  }
});
