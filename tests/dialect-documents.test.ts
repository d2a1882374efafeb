import { spawnSync } from 'node:child_process';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { callerOf, test } from './support/app/api-caller.ts';

const run = promisify(execFile);
const page = await readFile(join(import.meta.dirname, '../docs/dialects.md'), 'utf8');

const runs = (program: string, given: readonly string[]): boolean =>
  spawnSync(program, given, { stdio: 'ignore' }).status === 0;

const pythons = [process.env['PYTHON'], 'python3', '/usr/bin/python3'].filter(
  (program) => program !== undefined,
);

const runners: Record<string, readonly string[] | undefined> = {
  php: runs('php', ['-r', 'exit(extension_loaded("curl") ? 0 : 1);']) ? ['php', '-r'] : undefined,
  python: ((program) => program && [program, '-W', 'ignore', '-c'])(
    pythons.find((program) => runs(program, ['-c', 'import requests'])),
  ) as readonly string[] | undefined,
  js: [process.execPath, '--input-type=module', '-e'],
  sh: runs('curl', ['--version']) ? ['sh', '-c'] : undefined,
};

type Snippet = { language: string; code: string; answer: unknown };

const snippets: Snippet[] = [
  ...page.matchAll(/```(php|python|js|sh)\n([\s\S]*?)```\n\n```json\n([\s\S]*?)```/g),
].map(([, language = '', code = '', answer = '']) => ({
  language,
  code: code.replace(/^<\?php\n/, ''),
  answer: JSON.parse(answer),
}));

/**
 * Fields that must match exactly, because programs compare them. Others only need the same type.
 */
const exact = new Set(['status', 'detail', 'reason', 'process', 'message', 'schedule_at']);

function shapeOf(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => shapeOf(one));
  if (typeof value !== 'object' || value === null) {
    return value === null || exact.has(name) ? value : typeof value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([own, inner]) => [own, shapeOf(inner, own)]),
  );
}

test('shows programs in each language', () => {
  const languages = new Set(snippets.map(({ language }) => language));
  expect([...languages].toSorted()).toEqual(['js', 'php', 'python', 'sh']);
  expect(snippets.length).toBeGreaterThan(15);
});

for (const language of ['php', 'python', 'js', 'sh']) {
  const [program, ...given] = runners[language] ?? [];
  test.skipIf(program === undefined)(
    `each ${language} program of the page gets the answer beside it`,
    async ({ db, openApp }) => {
      const running = await openApp();
      const { key } = await callerOf(running, db, { saldo: 1_000_000 });
      await running.app.listen({ host: '127.0.0.1', port: 0 });
      const { port } = running.app.server.address() as AddressInfo;
      for (const { code, answer } of snippets.filter((one) => one.language === language)) {
        const own = code
          .replaceAll('https://kabari.example', `http://127.0.0.1:${port}`)
          .replaceAll('TOKEN', key);
        const { stdout } = await run(program ?? '', [...given, own]);
        expect(shapeOf(JSON.parse(stdout)), code).toEqual(shapeOf(answer));
      }
    },
  );
}
