import type { InjectOptions } from 'fastify';
import { expect, onTestFinished } from 'vitest';
import { checkLedger } from '#server/domains/ledger/ledger.ts';
import { startFakeMeta } from '#tests/support/meta/fake-meta.ts';
import {
  fuzzInputs,
  openFuzz,
  readUploadedList,
  untilInTime,
  ways,
} from './support/hostile/fuzz-inputs.ts';
import { hostileTexts } from './support/hostile/hostile.ts';
import { abreast } from './support/hostile/hostile-app.ts';
import { oddities, unstorables } from './support/hostile/hostile-strings.ts';
import { test } from './support/app/running-app.ts';

/** `npm run fuzz -- --count N --seed S` throws more. */
const count = Number(process.env['FUZZ_COUNT'] ?? 600);
const seed = Number(process.env['FUZZ_SEED'] ?? 1);
/** A fault is shown with its input, and one of each kind is enough. */
const SHOWN = 20;
const PROGRESS_EVERY = 5_000;
/** The dialects that answer 200 to what they refuse name the refusal beside it. */
const REFUSAL_HEADER = 'x-kabari-error';

/** MCP answers 200 to a tool that fails, and names the failure in a JSON text. */
const failedTool = /\\"code\\":\\"(?:our_fault|busy|timed_out)\\"/;

const shownOf = ({ payload, ...rest }: InjectOptions): string => {
  const text = Buffer.isBuffer(payload) ? payload.toString('latin1') : payload;
  return JSON.stringify({ ...rest, payload: text }).slice(0, 1_500);
};

test(
  `${count} inputs of seed ${seed} over all ways in meet no fault of ours, and leave the books right`,
  { timeout: 120_000 + count * 200 },
  async ({ db, openApp }) => {
    const meta = await startFakeMeta({ seed, areWindowsOpen: true });
    onTestFinished(() => meta.close());
    const setup = await openFuzz(db, openApp, meta);
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
    const noteLate = (way: string, late: readonly { status: number; body: unknown }[]) => {
      for (const { status, body } of late) {
        add(`${way}: ${status}, repeated`);
        say(`repeated: ${way}: ${status} ${JSON.stringify(body).slice(0, 200)}`);
      }
    };
    const note = (way: string, status: number, isRefused: boolean) => {
      add(`${way}: ${status}${isRefused && status < 300 ? ', refused' : ''}`);
      if (status < 300 && !isRefused && way !== 'addresses') taken.add(way);
    };
    /** One by one, beside the rest: people of one account have one lane for their lists. */
    let reading = Promise.resolve();
    const read = (list: Parameters<typeof readUploadedList>[1], shown: string) => {
      reading = reading.then(async () => {
        const { statuses, late } = await readUploadedList(setup, list);
        noteLate('lists, read', late);
        for (const status of statuses) {
          note('lists, read', status, false);
          if (status >= 500) fault(`lists, read: ${status} ${shown}`);
        }
      });
    };
    await abreast(inputs, async ({ way, options }) => {
      const request = await options;
      const { answer, late } = await untilInTime(async () => {
        const { statusCode, body, headers } = await setup.running.app.inject(request);
        return { status: failedTool.test(body) ? 503 : statusCode, body, headers };
      });
      const { status, body, headers } = answer;
      noteLate(way, late);
      note(way, status, headers[REFUSAL_HEADER] !== undefined);
      if (status >= 500) fault(`${way}: ${status} ${body} ${shownOf(request)}`);
      if ((done += 1) % PROGRESS_EVERY === 0) say(`${done} answered, ${faults.length} faults`);
      if (way !== 'lists' || status >= 300) return;
      const token = String(request.headers?.['authorization']).replace('Bearer ', '');
      read({ upload: body, token }, shownOf(request));
    });
    await reading;
    const met = [...answers].map(([kind, times]) => `${kind}: ${times}`).toSorted();
    say(met.join('\n'));
    const bugs = setup.running.lines.filter((line) => /"level":"(?:error|fatal)"/.test(line));
    expect(faults.slice(0, SHOWN), `${faults.length} faults`).toEqual([]);
    expect(bugs.slice(0, SHOWN)).toEqual([]);
    expect((await checkLedger(db.allAccountsSql)).filter(({ ok }) => !ok)).toEqual([]);
    // Each way took some: it was not only turned away. Addresses by chance lead nowhere.
    const known = ways.filter((way) => way !== 'addresses');
    expect([...taken].toSorted()).toEqual([...known, 'lists, read'].toSorted());
  },
);
