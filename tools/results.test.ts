import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** The module's result; the tools are plain JavaScript, without types here. */
const call = (name: string, ...given: unknown[]): unknown => {
  const code = `import * as tools from './results.mjs';
    process.stdout.write(JSON.stringify(tools.${name}(...${JSON.stringify(given)})));`;
  const args = ['--input-type=module', '--eval', code];
  return JSON.parse(String(execFileSync(process.execPath, args, { cwd: import.meta.dirname })));
};
const inCi = (broken: string[], tried = 0) => call('secondTry', broken, tried, { CI: 'true' });

const screens = [1, 2, 3, 4].map((n) => `src/web/ui/Piece${n}.browser.test.ts`);

test('in CI, at most three browser test files get a second try per run', () => {
  expect(inCi(screens.slice(0, 3))).toEqual(screens.slice(0, 3));
  expect(inCi(screens)).toEqual([]);
  expect(inCi(screens.slice(0, 1), 2)).toEqual(screens.slice(0, 1));
  expect(inCi(screens.slice(0, 2), 2)).toEqual([]);
  expect(inCi([])).toEqual([]);
});

test('manual runs get none', () => {
  for (const CI of [undefined, '', 'false', '0']) {
    expect(call('secondTry', screens.slice(0, 1), 0, { CI }), String(CI)).toEqual([]);
  }
});

test('neither do tests of money and stored data, nor anything that fails beside them', () => {
  const files = [
    'src/server/domains/ledger/ledger.test.ts',
    'src/server/domains/payments/topups/topups.test.ts',
    'src/server/domains/messages/submit/accept.test.ts',
    'src/server/domains/messages/submit/accept-trouble.test.ts',
    'src/server/domains/messages/dispatch/settle.test.ts',
    'src/web/features/prices/Prices.browser.test.ts',
    'src/web/features/saldo/Statement.browser.test.ts',
    'tests/journeys/saldo.test.ts',
    'tests/ledger-model.test.ts',
    'tests/chaos/same-answers.test.ts',
  ];
  for (const file of files) {
    expect(inCi([file]), file).toEqual([]);
    expect(inCi([...screens.slice(0, 1), file]), file).toEqual([]);
  }
});

test('names each file that was tried twice', () => {
  expect(call('triedTwice', screens.slice(0, 2))).toBe(
    `\nTried twice, and to be mended:\n  ~ ${screens[0]}\n  ~ ${screens[1]}\n`,
  );
  expect(call('triedTwice', [])).toBe('');
});

test('names the ten slowest files, slowest first, each once', () => {
  const files = Array.from({ length: 12 }, (_, n) => ({ name: `${n}.test.ts`, seconds: n / 2 }));
  const lines = String(call('slowest', [...files, { name: '11.test.ts', seconds: 1 }])).split('\n');
  expect(lines.slice(0, 4)).toEqual([
    '',
    'The slowest files:',
    '    5.5 s  11.test.ts',
    '    5.0 s  10.test.ts',
  ]);
  expect(lines.slice(11)).toEqual(['    1.0 s  2.test.ts', '']);
});

test('names none when no file ran', () => {
  expect(call('slowest', [])).toBe('');
});
