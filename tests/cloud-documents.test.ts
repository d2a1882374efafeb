import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { test } from './support/dialects/cloud-app.ts';

const root = join(import.meta.dirname, '..');
const page = await readFile(join(root, 'docs/dialects/cloud-api.md'), 'utf8');
const samples = [...page.matchAll(/^### (\S+)\n[\s\S]*?```js\n([\s\S]*?)```/gm)].map(
  ([, client = '', code = '']) => ({ client, code }),
);
const run = promisify(execFile);

test('sends each documented sample with the unmodified client', async ({ cloud }) => {
  expect(samples.map(({ client }) => client)).toEqual([
    '@kapso/whatsapp-cloud-api',
    '@great-detail/whatsapp',
    'whatsapp-api-js',
    '@chat-adapter/whatsapp',
  ]);
  for (const { client, code } of samples) {
    const here = code
      .replaceAll('https://kabari.example', cloud.origin)
      .replaceAll('PHONE_NUMBER_ID', cloud.numberId)
      .replaceAll('KEY', cloud.key);
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', here], {
      cwd: root,
    });
    const wamid = /wamid\.\S+/.exec(stdout)?.[0];
    expect(await cloud.stored(wamid), client).toMatchObject({
      content: { text: 'Pesanan Anda siap.' },
    });
  }
});
