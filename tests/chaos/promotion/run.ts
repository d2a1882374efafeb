import { parseArgs } from 'node:util';
import { runPromotion } from './promotion.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '20' },
    nodes: { type: 'string', default: '2' },
    how: { type: 'string' },
  },
});
let broken = 0;
for (let seed = 1; seed <= Number(values.seeds); seed++) {
  const how = (values.how ?? (seed % 2 === 0 ? 'hangs' : 'killed')) as 'killed' | 'hangs';
  const [seconds, nodes] = [Number(values.seconds), Number(values.nodes)];
  const outcome = await runPromotion({ seed, seconds, how, nodes });
  broken += outcome.broken.length;
  process.stdout.write(`${JSON.stringify({ seed, how, ...outcome })}\n`);
}
process.exit(broken > 0 ? 1 : 0);
