import { expect } from 'vitest';
import { checkLedger } from '#server/domains/ledger/ledger.ts';
import { type FuzzInput, fuzzInputs, readUploadedList } from './support/hostile/fuzz-inputs.ts';
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
    /** A machine that is too busy says so; an input that is at fault is answered so by itself, too. */
    const repeated: FuzzInput[] = [];
    const uploaded: { upload: string; token: string; shown: string }[] = [];
    const note = (group: string, status: number) => {
      const kind = `${group} ${Math.floor(status / 100)}xx`;
      statuses.set(kind, (statuses.get(kind) ?? 0) + 1);
    };
    await abreast(inputs, async (input) => {
      const { way, options } = input;
      const shown = JSON.stringify(options).slice(0, 1_500);
      const { statusCode, body } = await setup.running.app.inject(options);
      note(way, statusCode);
      if (statusCode === 500) faults.push(`${way}: ${body} ${shown}`);
      else if (statusCode > 500) repeated.push(input);
      if (way !== 'lists' || statusCode >= 300) return;
      const token = String(options.headers?.['authorization']).replace('Bearer ', '');
      uploaded.push({ upload: body, token, shown });
    });
    for (const { way, options } of repeated) {
      const { statusCode, body } = await setup.running.app.inject(options);
      const shown = JSON.stringify(options).slice(0, 1_500);
      if (statusCode >= 500) faults.push(`${way}, again: ${statusCode} ${body} ${shown}`);
    }
    // One by one: there is one lane for them.
    for (const { shown, ...list } of uploaded) {
      for (const status of await readUploadedList(setup, list)) {
        note('lists, read', status);
        if (status >= 500) faults.push(`lists, read: ${status} ${shown}`);
      }
    }
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
