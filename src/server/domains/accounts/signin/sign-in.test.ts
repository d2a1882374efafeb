import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const server = join(import.meta.dirname, '../../..');

test('no other function than signIn starts a session', async () => {
  const callers: string[] = [];
  for await (const file of glob('**/*.ts', { cwd: server })) {
    if (file.endsWith('.test.ts')) continue;
    const text = await readFile(join(server, file), 'utf8');
    if (/\bstartSession\(|insert into sessions\b/.test(text)) callers.push(file);
  }
  expect(callers.toSorted()).toEqual([
    'domains/accounts/sessions/sessions.ts',
    'domains/accounts/signin/login.ts',
  ]);
});
