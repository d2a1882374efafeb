import * as rules from './rules/files.ts';
import { prove } from './rules/proof.ts';

const lines = (count: number): string => 'line\n'.repeat(count);

prove([
  [
    'SQL functions have at most 120 lines',
    rules.shortFunctions,
    {
      'src/server/domains/ledger/a.sql': `create or replace function post()\nreturns void language plpgsql as $$\n${lines(120)}$$;`,
      'src/server/domains/ledger/b.sql': `create function short()\nreturns void language plpgsql as $$\n${lines(100)}$$;\n${lines(30)}`,
    },
    ['src/server/domains/ledger/a.sql: post() has 123 lines'],
  ],
  [
    'file names describe their content',
    rules.descriptiveNames,
    { 'src/server/utils.ts': '', 'src/web/ui/index.tsx': '', 'src/web/helpers/a.ts': '' },
    ['src/server/utils.ts does', 'src/web/ui/index.tsx does', 'src/web/helpers/a.ts does'],
  ],
  [
    'only a public API re-exports',
    rules.noBarrels,
    {
      'src/server/domains/ledger/ledger.ts': "export { post } from './post.ts';",
      'src/server/domains/push/push.ts': "export * from './post.ts';",
      'src/web/ui/all.ts': "export { Button } from './Button.tsx';",
      'src/web/features/saldo/saldo.ts': "export { Saldo } from './Saldo.tsx';",
      'src/web/ui/types-too.ts': "export type { Button } from './Button.tsx';",
    },
    [
      'src/server/domains/push/push.ts re-exports',
      'src/web/ui/all.ts re-exports',
      'src/web/ui/types-too.ts re-exports',
    ],
  ],
  [
    'there is no default export',
    rules.noDefaultExports,
    { 'src/a.ts': 'export default 1;', 'vite.config.ts': 'export default 1;' },
    ['src/a.ts has a default export'],
  ],
  [
    'no unfinished work is left',
    rules.finished,
    { 'src/a.ts': '// TODO: later', 'src/b.css': '/* FIXME */', 'src/c.ts': 'const TODOS = 1;' },
    ['src/a.ts has unfinished', 'src/b.css has unfinished'],
  ],
  [
    'no web function has a name that the build treats as pure',
    rules.noPureNames,
    {
      'src/web/a.ts': 'act(1);',
      'src/web/b.ts': "import { act } from '#contract/base/act.ts';\nact(1);",
      'src/web/c.ts': 'react(1);',
    },
    ['src/web/a.ts calls act()'],
  ],
  [
    'broken pictures have a replacement',
    rules.brokenPicturesReplaced,
    { 'src/web/A.tsx': '<img src={a} />', 'src/web/B.tsx': '<img src={a} onError={() => b} />' },
    ['src/web/A.tsx: <img src={a} />'],
  ],
  [
    'no field cuts off pasted text',
    rules.pastedTextIsWhole,
    { 'src/web/A.tsx': '<input maxLength={3} />', 'src/web/B.tsx': '<textarea rows={3} />' },
    ['src/web/A.tsx: <input maxLength={3} />'],
  ],
  [
    'the web turns no text into HTML or code',
    rules.noHtmlFromText,
    { 'src/web/a.ts': 'x.innerHTML = y;', 'src/web/a.test.ts': 'x.innerHTML = y;' },
    ['src/web/a.ts turns text into HTML'],
  ],
  [
    'tests wait for states, with one shared timeout',
    rules.waitForStates,
    {
      'tests/a.test.ts': 'await page.waitForTimeout(5);',
      'src/b.test.ts': 'await expect.poll(x).toBe(1);',
      'tests/support/c.ts': "await page.waitForEvent('x', { timeout: 5 });",
      'src/d.test.ts': 'await vi.waitFor(() => x);',
      'src/e.test.ts': 'await waitFor(() => x);',
      'src/f.test.ts': 'expect(performance.now() - start).toBeLessThan(5);',
      'src/g.test.ts': "test('x', async () => {\n}, 5_000);",
    },
    [
      'tests/a.test.ts sleeps in a browser',
      'src/b.test.ts polls',
      'tests/support/c.ts waits with its own timeout',
      'src/d.test.ts waits for a second',
      'src/f.test.ts uses a time limit as a measurement',
      'src/g.test.ts sets its own test timeout',
    ],
  ],
  [
    'journeys at the shared product register distinct phones',
    rules.distinctJourneyPhones,
    {
      'tests/journeys/a.test.ts': "setUpSharedJourney(); signUp(x, { name, phone: '62811' });",
      'tests/journeys/b.test.ts': "setUpSharedJourney(); signUp(x, { name, phone: '62811' });",
      'tests/journeys/c.test.ts': "setUpJourney(); signUp(x, { name, phone: '62811' });",
    },
    ['tests/journeys/b.test.ts registers 62811'],
  ],
]);
