import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test as plain } from 'vitest';
import { acts } from '#contract/acts.ts';
import { refusals } from '#contract/base/refusals.ts';
import { actHandlers } from '#server/app/acts.ts';
import { test } from '#tests/support/app/running-app.ts';
import { repository, root, sourcesIn } from './rules/sources.ts';

const byName = (names: readonly string[]): ReadonlySet<string> => new Set(names);

const unhandled = (names: readonly string[], handled: readonly string[]): string[] => [
  ...names.filter((name) => !handled.includes(name)).map((name) => `${name} has no handler`),
  ...handled
    .filter((name, at) => handled.indexOf(name) !== at)
    .map((name) => `${name} is handled twice`),
  ...handled.filter((name) => !names.includes(name)).map((name) => `${name} is not an act`),
];

const misnamed = (names: readonly string[]): string[] => [
  ...names
    .filter((name) => !/^[a-z]+(_[a-z]+)*$/.test(name))
    .map((name) => `${name}: name it entity_verb`),
  ...names
    .filter((name, at) => names.indexOf(name) !== at)
    .map((name) => `${name} is the name of two acts`),
];

type Promising = { name: string; refuses: readonly string[] };

const promisedTwice = (all: readonly Promising[]): string[] =>
  all
    .filter(({ refuses }) => byName(refuses).size < refuses.length)
    .map(({ name }) => `${name} promises a refusal twice`);

/** Refusal codes that nothing throws. */
const unusedCodes = (codes: readonly string[], text: string): string[] =>
  codes
    .filter((code) => !text.includes(`'${code}'`))
    .map((code) => `no code refuses with ${code}: remove it from the catalogue`);

test('handles every act exactly once', async ({ openApp }) => {
  expect(unhandled(['a', 'b', 'c'], ['a', 'b', 'b', 'd'])).toEqual([
    'c has no handler',
    'b is handled twice',
    'd is not an act',
  ]);
  const { container } = await openApp();
  const handled = actHandlers(container).map(({ act }) => act.name);
  expect(
    unhandled(
      acts.map(({ name }) => name),
      handled,
    ),
  ).toEqual([]);
});

describe('the contract', () => {
  plain('the name of an act is entity_verb, and belongs to one act', () => {
    expect(misnamed(['token_list', 'tokenList', 'token_list'])).toEqual([
      'tokenList: name it entity_verb',
      'token_list is the name of two acts',
    ]);
    expect(misnamed(acts.map(({ name }) => name))).toEqual([]);
  });

  plain('an act promises no refusal twice', () => {
    expect(promisedTwice([{ name: 'a', refuses: ['x', 'y', 'x'] }])).toHaveLength(1);
    expect(promisedTwice(acts)).toEqual([]);
  });

  plain('every refusal of the catalogue is said somewhere', async () => {
    expect(unusedCodes(['saldo_short', 'never'], "new Refusal('saldo_short', {})")).toHaveLength(1);
    const texts = sourcesIn(await repository(), 'src/server', /\.ts$/).map(([, text]) => text);
    expect(unusedCodes(Object.keys(refusals), texts.join('\n'))).toEqual([]);
  });
});

plain('the printed pages are what the code prints today', async () => {
  const printing = promisify(execFile)(process.execPath, ['tools/print-docs.ts', '--check'], {
    cwd: root,
  });
  await expect(printing).resolves.toMatchObject({ stderr: '' });
});
