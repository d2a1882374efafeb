import type { InjectOptions } from 'fastify';
import { expect, onTestFinished } from 'vitest';
import { checkLedger } from '#server/domains/ledger/ledger.ts';
import { startFakeMeta } from '#tests/support/meta/fake-meta.ts';
import {
  type FuzzAnswer,
  fuzzInputs,
  openFuzz,
  readUploadedList,
  ways,
} from './support/hostile/fuzz-inputs.ts';
import { hostileTexts } from './support/hostile/hostile.ts';
import { inParallel } from './support/hostile/hostile-app.ts';
import { oddities, unstorables } from './support/hostile/hostile-strings.ts';
import { test } from './support/app/running-app.ts';

/** Fuzz more: `npm run fuzz -- --count N --seed S`. */
const count = Number(process.env['FUZZ_COUNT'] ?? 600);
const seed = Number(process.env['FUZZ_SEED'] ?? 1);
/** A fault is shown with its input, one of each kind. */
const SHOWN = 20;
const PROGRESS_EVERY = 5_000;
/** Concurrent calls: enough to interfere, few enough for a busy machine. */
const PARALLEL_MAX = 4;
/** Dialects that refuse with 200 name the refusal in this header. */
const REFUSAL_HEADER = 'x-kabari-error';

/** MCP answers 200 to a failed tool, and names the failure in a JSON text. */
const failedTool = /\\"code\\":\\"(?:our_fault|busy|timed_out)\\"/;

const shownOf = ({ payload, ...rest }: InjectOptions): string => {
  const text = Buffer.isBuffer(payload) ? payload.toString('latin1') : payload;
  return JSON.stringify({ ...rest, payload: text }).slice(0, 1_500);
};

type Call = { way: string; shown: string; send: () => Promise<FuzzAnswer[]> };

/** A faster 503 is a decision of the product and not a lack of time: a fault. */
const SLOW_MS = 2_000;
const isLate = (status: number): boolean => status === 503 || status === 504;
const TRIES = 3;

/**
 * Repeats a call that got 503 or 504, when nothing else runs: a starved machine is late at times, an expensive input
 * each time.
 * @returns the worst status of the first try in time, else of the last one.
 */
async function inTime({ send }: Call): Promise<number> {
  let worst = 0;
  for (let tries = 0; tries < TRIES; tries++) {
    worst = Math.max(...(await send()).map(({ status }) => status));
    if (!isLate(worst)) return worst;
  }
  return worst;
}

test(
  `${count} inputs of seed ${seed} over all ways in cause no fault of ours, and leave the books right`,
  { timeout: 120_000 + count * 200 },
  async ({ db, openApp }) => {
    const meta = await startFakeMeta({ seed, areWindowsOpen: true });
    onTestFinished(() => meta.close());
    const setup = await openFuzz(db, openApp, meta);
    const send = async (request: InjectOptions): Promise<FuzzAnswer> => {
      const { statusCode, body, headers } = await setup.running.app.inject(request);
      const status = failedTool.test(body) ? 503 : statusCode;
      return { status, body, isRefused: headers[REFUSAL_HEADER] !== undefined };
    };
    const { texts } = await hostileTexts();
    const inputs = fuzzInputs(setup, {
      seed,
      count,
      texts: [...unstorables, ...oddities, ...texts.filter((text) => text.length < 2_000)],
    });
    const answers = new Map<string, number>();
    const taken = new Set<string>();
    const faults: string[] = [];
    const say = (line: string) => {
      if (process.env['FUZZ_COUNT']) process.stdout.write(`${line}\n`);
    };
    const fault = (line: string) => {
      if (faults.push(line) <= SHOWN) say(line);
    };
    let done = 0;
    const add = (kind: string, more = 1) => answers.set(kind, (answers.get(kind) ?? 0) + more);
    const note = (way: string, status: number, isRefused: boolean) => {
      add(`${way}: ${status}${isRefused && status < 300 ? ', refused' : ''}`);
      if (status < 300 && !isRefused && way !== 'addresses') taken.add(way);
    };
    const late: Call[] = [];
    const make = async (call: Call) => {
      const began = performance.now();
      const met = await call.send();
      const isSlow = performance.now() - began > SLOW_MS;
      for (const { status, body, isRefused } of met) {
        note(call.way, status, isRefused);
        if (isLate(status) && isSlow) late.push(call);
        else if (status >= 500) fault(`${call.way}: ${status} ${body} ${call.shown}`);
      }
      return met;
    };
    /** Sequential, beside the rest: people of one account share one lane for their lists. */
    let reading = Promise.resolve<unknown>(undefined);
    await inParallel(
      inputs,
      async ({ way, options }) => {
        const request = await options;
        const shown = shownOf(request);
        const [answer] = await make({ way, shown, send: async () => [await send(request)] });
        if ((done += 1) % PROGRESS_EVERY === 0) {
          say(`${done} answered, ${faults.length} faults, ${late.length} late`);
        }
        if (way !== 'lists' || answer === undefined || answer.status >= 300) return;
        const token = String(request.headers?.['authorization']).replace('Bearer ', '');
        const list = { upload: answer.body, token, key: crypto.randomUUID() };
        const read = { way: 'lists, read', shown, send: () => readUploadedList(setup, list) };
        reading = reading.then(() => make(read));
      },
      PARALLEL_MAX,
    );
    await reading;
    for (const call of late) {
      const status = await inTime(call);
      add(`${call.way}: repeated alone, ${status}`);
      say(`repeated alone, ${status}: ${call.way} ${call.shown}`);
      if (status >= 500) fault(`${call.way}, alone: ${status} ${call.shown}`);
    }
    const sums = [...answers].map(([kind, times]) => `${kind}: ${times}`).toSorted();
    say(sums.join('\n'));
    const bugs = setup.running.lines.filter((line) => /"level":"(?:error|fatal)"/.test(line));
    expect(faults.slice(0, SHOWN), `${faults.length} faults`).toEqual([]);
    expect(bugs.slice(0, SHOWN)).toEqual([]);
    expect((await checkLedger(db.allAccountsSql)).filter(({ ok }) => !ok)).toEqual([]);
    // Every way accepted some. Random addresses lead nowhere.
    const known = ways.filter((way) => way !== 'addresses');
    expect([...taken].toSorted()).toEqual([...known, 'lists, read'].toSorted());
  },
);
