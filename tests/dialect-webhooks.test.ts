import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { WebhookFormat } from '#contract/webhooks.ts';
import { waitFor } from './support/wait-for.ts';
import { type Shop, test as base } from './support/webhooks/format-app.ts';

const page = await readFile(join(import.meta.dirname, '../docs/dialects.md'), 'utf8');
const php = process.env['PHP'] ?? 'php';
const hasPhp = spawnSync(php, ['-v'], { stdio: 'ignore' }).status === 0;

const programOf = (title: string): string =>
  new RegExp(`### ${title}\n[\\s\\S]*?\`\`\`php\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? '';

type Serve = (code: string) => Promise<string>;

const test = base.extend<{ serve: Serve }>({
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads which fixtures a fixture asks for.
  serve: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'kabari-php-'));
    const running: ChildProcess[] = [];
    await use(async (code) => {
      const file = join(folder, `${running.length}.php`);
      await writeFile(file, code);
      const server = spawn(php, ['-d', 'display_errors=1', '-S', '127.0.0.1:0', file]);
      running.push(server);
      let output = '';
      server.stderr.on('data', (part: Buffer) => (output += part.toString('utf8')));
      return waitFor(() => /\((http:\S+)\) started/.exec(output)?.[1] ?? false);
    });
    for (const server of running) server.kill();
    await rm(folder, { recursive: true, force: true });
  },
});

/** Switches a format on for a documented program, and passes events to it. @returns its answers. */
async function answersOf(
  { shop, serve }: { shop: Shop; serve: Serve },
  { format, title }: { format: WebhookFormat; title: string },
): Promise<string[]> {
  const output: string[] = [];
  let origin: Promise<string> | undefined;
  await shop.tell(format, ({ secret }) => {
    origin = serve(programOf(title).replaceAll('SECRET', secret));
    return async (request) => {
      const body = await request.text();
      const answer = await fetch((await origin) ?? '', { method: 'POST', body });
      const words = await answer.text();
      output.push(words);
      return new Response(words, { status: answer.status });
    };
  });
  const forged = await fetch((await origin) ?? '', { method: 'POST', body: '{"secret":"salah"}' });
  if (format === 'fonnte') expect(forged.status).toBe(403);
  return output;
}

const send = async (shop: Shop, to: string): Promise<string> => {
  const body = { to, type: 'text', text: { body: 'Halo' } };
  return (await shop.call('/v1/messages', { body })).body.id;
};

test.skipIf(!hasPhp)(
  'the documented program for Fonnte accepts our webhooks',
  async ({ shop, serve }) => {
    const output = await answersOf(
      { shop, serve },
      { format: 'fonnte', title: 'Webhooks of Fonnte' },
    );
    expect(JSON.parse(output[0] ?? '')).toEqual({ device: shop.phone, status: 'connect' });
    const id = await send(shop, '62800000007');
    await send(shop, '62800000013');
    const failed = await send(shop, '62800000003');
    await waitFor(() => {
      expect(output.map((words) => JSON.parse(words))).toEqual(
        expect.arrayContaining([
          { id, stateid: id, status: 'sent', state: 'read' },
          { id: failed, stateid: failed, status: 'invalid', state: 'failed' },
          { sender: '62800000007', message: 'STOP', extension: '' },
          { sender: '62800000013', message: '', extension: 'pdf' },
        ]),
      );
    });
  },
);

test.skipIf(!hasPhp)(
  'the documented program for Wablas accepts our webhooks',
  async ({ shop, serve }) => {
    const output = await answersOf(
      { shop, serve },
      { format: 'wablas', title: 'Webhooks of Wablas' },
    );
    expect(output).toEqual([`${shop.phone} connected`]);
    const sending = await shop.call('/api/send-message', {
      body: { phone: '62800000007', message: 'Halo' },
      headers: { authorization: shop.key },
    });
    const { id } = sending.body.data.messages[0];
    const { id: failed } = await shop
      .call('/api/send-message', {
        body: { phone: '62800000003', message: 'Halo' },
        headers: { authorization: shop.key },
      })
      .then(({ body }) => body.data.messages[0]);
    await send(shop, '62800000015');
    await waitFor(() => {
      expect(output).toEqual(
        expect.arrayContaining([
          `${id} pending`,
          `${id} read`,
          `${failed} reject`,
          '62800000007 text STOP',
          '62800000015 location -6.1754,106.8272',
        ]),
      );
    });
  },
);
