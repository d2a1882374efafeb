import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** What is shown of these files; the tools are plain JavaScript, which has no types here. */
const shown = (files: object[]): string[] => {
  const code = `import { slowest } from './slowest.mjs';
    process.stdout.write(slowest(${JSON.stringify(files)}));`;
  const given = ['--input-type=module', '--eval', code];
  const said = execFileSync(process.execPath, given, { cwd: join(import.meta.dirname) });
  return said.toString('utf8').split('\n');
};

test('the ten slowest files are named, the slowest first, each once', () => {
  const files = Array.from({ length: 12 }, (_, n) => ({ name: `${n}.test.ts`, seconds: n / 2 }));
  const lines = shown([...files, { name: '11.test.ts', seconds: 1 }]);
  expect(lines.slice(0, 4)).toEqual([
    '',
    'The slowest files:',
    '    5.5 s  11.test.ts',
    '    5.0 s  10.test.ts',
  ]);
  expect(lines.slice(11)).toEqual(['    1.0 s  2.test.ts', '']);
});

test('where no file ran, nothing is said of it', () => {
  expect(shown([])).toEqual(['']);
});
