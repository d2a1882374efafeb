/** `npm run check`: types, lint, format and unused code. Prints only failures. */
import { spawn } from 'node:child_process';
import { resolve, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './ready.mjs';

const at = (path) => join(root, 'node_modules', path);

const types = (project) => ({
  name: `types (${project})`,
  run: [at('typescript/bin/tsc'), '--pretty', 'false', '-p', `tsconfig.${project}.json`],
});

const checks = [
  types('server'),
  types('web'),
  types('web-tests'),
  types('journeys'),
  {
    name: 'lint',
    run: [at('oxlint/bin/oxlint'), '--type-aware', '--deny-warnings', '--format=unix'],
  },
  { name: 'format', run: [at('oxfmt/bin/oxfmt'), '--list-different', '.'] },
  { name: 'unused', run: [at('knip/bin/knip.js'), '--no-progress'] },
];

const remedies = {
  format: 'Run `npm run format`.',
  unused: 'Delete what nobody uses, or use it.',
};

function output(node, given) {
  return new Promise((done) => {
    const child = spawn(node, given, { cwd: root, env: { ...process.env, FORCE_COLOR: '0' } });
    let words = '';
    const add = (more) => (words += more);
    child.stdout.setEncoding('utf8').on('data', add);
    child.stderr.setEncoding('utf8').on('data', add);
    child.on('error', (error) => done({ held: false, words: String(error) }));
    child.on('close', (code) => done({ held: code === 0, words: words.trim() }));
  });
}

/**
 * Runs every check, two at a time.
 *
 * @param node the Node to run them on.
 * @returns the numbers of passed and failed checks.
 */
export async function check(node = process.execPath) {
  const waiting = [...checks];
  let failed = 0;
  const one = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { name, run } = next;
      const { held, words } = await output(node, run);
      process.stdout.write(`  ${held ? '✓' : '✗'} ${name}\n`);
      if (held) continue;
      failed++;
      process.stdout.write(`${[words, remedies[name]].filter(Boolean).join('\n')}\n\n`);
    }
  };
  await Promise.all([one(), one()]);
  return { passed: checks.length - failed, failed };
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { failed } = await check();
  process.exitCode = failed === 0 ? 0 : 1;
}
