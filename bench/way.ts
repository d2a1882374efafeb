/**
 * `npm run bench:way`: cost of a message from accepted to Dibaca, part by part.
 *
 * `--only <part>`, once or more, runs these parts, `--against <folder>` compares with another checkout in the same
 * rounds, `--statements` adds the most expensive statements of the steady load. `ROUNDS` is 3 unless it is set.
 */
import { parseArgs } from 'node:util';
import { report } from './lib/results.ts';
import { across } from './way/across.ts';
import { callbacks } from './way/receipts/callbacks.ts';
import { floor } from './way/floor.ts';
import { highest } from './way/highest.ts';
import { nodes } from './way/nodes.ts';
import type { Part } from './way/part.ts';
import { receipts } from './way/receipts/receipts.ts';
import { rush } from './way/rush.ts';
import { statements } from './way/statements.ts';
import { steady } from './way/steady.ts';
import { streams } from './way/streams.ts';
import { ticks } from './way/ticks.ts';
import { traces } from './way/traces.ts';

const parts: readonly Part[] = [
  steady,
  floor,
  highest,
  rush,
  receipts,
  callbacks,
  ticks,
  streams,
  nodes,
  across,
];
/** Statement counts slow the servers down and traces are rarely needed: both run on request. */
const onRequest: readonly Part[] = [statements, traces];

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    against: { type: 'string' },
    statements: { type: 'boolean', default: false },
  },
});
const all = [...parts, ...onRequest];
const chosen =
  values.only === undefined
    ? [...parts, ...(values.statements ? [statements] : [])]
    : all.filter(({ name }) => values.only?.includes(name));
if (chosen.length === 0) {
  throw new Error(`--only takes one of: ${all.map(({ name }) => name).join(', ')}`);
}
for (const { title, run } of chosen) {
  const rounds = Number(process.env['ROUNDS'] ?? 3);
  await report(title, await run({ against: values.against, rounds }));
}
