/**
 * `npm run fuzz -- --count N --seed S`: random inputs to all entry points (docs/testing.md#fuzz).
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './ready.mjs';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '100000' },
    /** Random by default. */
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e6)) },
  },
});
for (const [name, value] of Object.entries(values)) {
  if (!/^\d{1,9}$/.test(value)) throw new Error(`--${name} is a whole number`);
}

const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const given = [vitest, 'run', '--project', 'unit', 'tests/fuzz.test.ts'];
const child = spawn(process.execPath, given, {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, FUZZ_COUNT: values.count, FUZZ_SEED: values.seed },
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('close', (code) => process.exit(code ?? 1));
