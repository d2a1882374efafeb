import { expect } from 'vitest';
import { checkLedger } from '#server/domains/ledger/ledger.ts';
import { fuzzInputs, readUploadedList } from './support/hostile/fuzz-inputs.ts';
import { hostileTexts } from './support/hostile/hostile.ts';
import { abreast, openHostile } from './support/hostile/hostile-app.ts';
import { oddities, unstorables } from './support/hostile/hostile-strings.ts';
import { test } from './support/app/running-app.ts';

/** `npm run fuzz -- --count N --seed S` throws more. */
const count = Number(process.env['FUZZ_COUNT'] ?? 600);
const seed = Number(process.env['FUZZ_SEED'] ?? 1);
/** A fault is shown with its input, and one of each kind is enough. */
const SHOWN = 20;

test(
  `${count} inputs of seed ${seed} over all ways in meet no fault of ours, and leave the books right`,
  { timeout: 120_000 + count * 200 },
  async ({ db, openApp }) => {
    const setup = await openHostile(db, openApp);
    const { texts } = await hostileTexts();
    const inputs = fuzzInputs(setup, {
      seed,
      count,
      texts: [...unstorables, ...oddities, ...texts.filter((text) => text.length < 2_000)],
    });
    const statuses = new Map<string, number>();
    const faults: string[] = [];
    await abreast(inputs, async ({ way, options }) => {
      const { statusCode, body } = await setup.running.app.inject(options);
      const count = (kind: string, status: number) => {
        const group = `${kind} ${Math.floor(status / 100)}xx`;
        statuses.set(group, (statuses.get(group) ?? 0) + 1);
        if (status < 500) return;
        const shown = JSON.stringify(options).slice(0, 1_500);
        faults.push(`${kind}: ${status} ${body.slice(0, 200)} ${shown}`);
      };
      count(way, statusCode);
      if (way !== 'lists' || statusCode >= 300) return;
      for (const status of await readUploadedList(setup, body)) count('lists, read', status);
    });
    const met = [...statuses].map(([group, answers]) => `${group}: ${answers}`).toSorted();
    if (process.env['FUZZ_COUNT']) process.stdout.write(`${met.join('\n')}\n`);
    const bugs = setup.running.lines.filter((line) => /"level":"(?:error|fatal)"/.test(line));
    expect(faults.slice(0, SHOWN), `${faults.length} faults`).toEqual([]);
    expect(bugs.slice(0, SHOWN)).toEqual([]);
    expect((await checkLedger(db.allAccountsSql)).filter(({ ok }) => !ok)).toEqual([]);
    // Each way took some: it was not only turned away.
    for (const way of [
      'acts, form',
      'acts, multipart',
      '/v1',
      'Fonnte',
      'Cloud',
      'MCP',
      'lists',
      'lists, read',
    ]) {
      expect(statuses.get(`${way} 2xx`) ?? 0, way).toBeGreaterThan(0);
    }
  },
);
