/** `npm run test:coverage -- PATH…`: the line coverage of the unit tests (docs/testing.md). */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'coverage/lines');

type Lines = { total: number; covered: number };

/** Runs the tests under `paths`, and counts lines there; without paths, everything. */
async function runTests(paths: readonly string[]): Promise<number> {
  const counted = paths.length > 0 ? paths : ['src/server', 'src/web'];
  const child = spawn(
    process.execPath,
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--project=unit',
      '--project=unit-apart',
      ...paths,
      '--coverage.enabled',
      '--coverage.provider=v8',
      '--coverage.reporter=json-summary',
      '--coverage.reportOnFailure',
      `--coverage.reportsDirectory=${folder}`,
      ...counted.map((path) => `--coverage.include=${path}/**/*.{ts,tsx}`),
    ],
    { cwd: root, stdio: 'inherit' },
  );
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((done) => child.on('close', (code) => done(code ?? 1)));
}

/** The folder of a file: `src/server/domains/ledger`, `src/server/http`, `src/web/ui`. */
function foldersOf(file: string): string[] {
  const parts = file.split('/').slice(0, -1);
  const depth = parts[2] === 'domains' || parts[2] === 'features' ? 4 : 3;
  return [...new Set([parts.slice(0, 2), parts.slice(0, depth)].map((some) => some.join('/')))];
}

const code = await runTests(process.argv.slice(2));
const summary = JSON.parse(await readFile(join(folder, 'coverage-summary.json'), 'utf8')) as Record<
  string,
  { lines: Lines }
>;
const byFolder = new Map<string, Lines>();
for (const [file, { lines }] of Object.entries(summary)) {
  if (file === 'total') continue;
  for (const name of foldersOf(relative(root, file).replaceAll('\\', '/'))) {
    const { total, covered } = byFolder.get(name) ?? { total: 0, covered: 0 };
    byFolder.set(name, { total: total + lines.total, covered: covered + lines.covered });
  }
}
for (const [name, { total, covered }] of [...byFolder].sort(([one], [other]) =>
  one < other ? -1 : 1,
)) {
  const share = total === 0 ? 100 : (covered / total) * 100;
  process.stdout.write(
    `${name.padEnd(36)}${share.toFixed(1).padStart(6)} %  ${covered}/${total} lines\n`,
  );
}
process.exitCode = code;
