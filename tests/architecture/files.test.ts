import * as rules from './rules/files.ts';
import { prove } from './rules/proof.ts';

const lines = (count: number): string => 'line\n'.repeat(count);

prove([
  [
    'SQL functions have 120 lines at most',
    rules.shortFunctions,
    {
      'src/server/domains/ledger/a.sql': `create or replace function post()\nreturns void language plpgsql as $$\n${lines(120)}$$;`,
      'src/server/domains/ledger/b.sql': `create function short()\nreturns void language plpgsql as $$\n${lines(100)}$$;\n${lines(30)}`,
    },
    ['src/server/domains/ledger/a.sql: post() has 123 lines'],
  ],
  [
    'files have names that say what is in them',
    rules.tellingNames,
    { 'src/server/utils.ts': '', 'src/web/ui/index.tsx': '', 'src/web/helpers/a.ts': '' },
    ['src/server/utils.ts says', 'src/web/ui/index.tsx says', 'src/web/helpers/a.ts says'],
  ],
  [
    'nothing is handed on, except by a public API',
    rules.noBarrels,
    {
      'src/server/domains/ledger/ledger.ts': "export { post } from './post.ts';",
      'src/server/domains/push/push.ts': "export * from './post.ts';",
      'src/web/ui/all.ts': "export { Button } from './Button.tsx';",
      'src/web/features/saldo/saldo.ts': "export { Saldo } from './Saldo.tsx';",
      'src/web/ui/types-too.ts': "export type { Button } from './Button.tsx';",
    },
    [
      'src/server/domains/push/push.ts hands on',
      'src/web/ui/all.ts hands on',
      'src/web/ui/types-too.ts hands on',
    ],
  ],
  [
    'there is no default export',
    rules.noDefaultExports,
    { 'src/a.ts': 'export default 1;', 'vite.config.ts': 'export default 1;' },
    ['src/a.ts has a default export'],
  ],
  [
    'nothing is left for later',
    rules.finished,
    { 'src/a.ts': '// TODO: later', 'src/b.css': '/* FIXME */', 'src/c.ts': 'const TODOS = 1;' },
    ['src/a.ts is left for later', 'src/b.css is left for later'],
  ],
  [
    'nothing of the web has a name that the build takes for pure',
    rules.noPureNames,
    {
      'src/web/a.ts': 'act(1);',
      'src/web/b.ts': "import { act } from '#contract/base/act.ts';\nact(1);",
      'src/web/c.ts': 'react(1);',
    },
    ['src/web/a.ts calls act()'],
  ],
  [
    'pictures that cannot be loaded have something in their place',
    rules.picturesFail,
    { 'src/web/A.tsx': '<img src={a} />', 'src/web/B.tsx': '<img src={a} onError={() => b} />' },
    ['src/web/A.tsx: <img src={a} />'],
  ],
  [
    'no browser cuts off what is pasted',
    rules.pastesWhole,
    { 'src/web/A.tsx': '<input maxLength={3} />', 'src/web/B.tsx': '<textarea rows={3} />' },
    ['src/web/A.tsx: <input maxLength={3} />'],
  ],
  [
    'the web makes no HTML or code of text',
    rules.noHtmlFromText,
    { 'src/web/a.ts': 'x.innerHTML = y;', 'src/web/a.test.ts': 'x.innerHTML = y;' },
    ['src/web/a.ts makes HTML'],
  ],
  [
    'tests wait for states, with one patience',
    rules.patientTests,
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
      'tests/support/c.ts waits for a time of its own',
      'src/d.test.ts waits for a second',
      'src/f.test.ts takes a limit of time for a measure',
      'src/g.test.ts ends a test after a time of its own',
    ],
  ],
]);
