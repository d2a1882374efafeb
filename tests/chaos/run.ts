import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Outcome, runScenario } from './trial.ts';
import { formatOutcome } from './show.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '20' },
    seed: { type: 'string' },
    plant: { type: 'string' },
  },
});

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));

const first = values.seed === undefined ? Math.floor(Math.random() * 1e6) : Number(values.seed);
const plant = values.plant === undefined ? undefined : readFileSync(values.plant, 'utf8');
const seconds = Number(values.seconds);
const { CITUS_URL: citusUrl } = process.env;
let failed = 0;
for (let n = 0; n < Number(values.seeds); n++) {
  const seed = first + n;
  const outcome: Outcome | Error = await runScenario({ seed, seconds, plant, citusUrl }).catch(
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );
  console.log(
    outcome instanceof Error ? `seed ${seed} ✗ ${outcome.stack}` : formatOutcome(outcome),
  );
  if (outcome instanceof Error || outcome.broken.length > 0) failed += 1;
}
console.log(`\n${values.seeds} seeds, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
