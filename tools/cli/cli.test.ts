import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type RequestListener, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { text as textOf } from 'node:stream/consumers';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import { callerOf, test as base } from '#tests/support/app/api-caller.ts';
import { ended, kabari, program, root } from '#tests/support/cli.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const test = base.extend<{
  address: string;
  folder: string;
  answering: (answer: RequestListener) => Promise<string>;
}>({
  address: async ({ running }, use) =>
    use(await running.app.listen({ port: 0, host: '127.0.0.1' })),
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads which fixtures a fixture asks for.
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'kabari-cli-'));
    await use(folder);
    await rm(folder, { recursive: true, force: true });
  },
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads which fixtures a fixture asks for.
  answering: async ({}, use) => {
    const servers: ReturnType<typeof createServer>[] = [];
    await use(async (answer) => {
      const server = createServer(answer);
      servers.push(server);
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    });
    for (const server of servers) server.close().closeAllConnections();
  },
});

test('every example of the page prints the output beside it', async ({
  running,
  db,
  address,
  folder,
}) => {
  const { key } = await callerOf(running, db, { saldo: 100_000 });
  const page = await readFile(join(root, 'docs/cli.md'), 'utf8');
  const examples = [...page.matchAll(/```sh\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```/g)];
  expect(examples.length).toBeGreaterThan(4);
  // A stand-in for `npx` in a clone, without calls to npm.
  await writeFile(
    join(folder, 'npx'),
    `#!/bin/sh\nshift\nexec "${process.execPath}" "${program}" "$@"\n`,
  );
  await chmod(join(folder, 'npx'), 0o755);
  await writeFile(join(folder, 'menu.pdf'), '%PDF-1.4\n1 0 obj\n%%EOF\n');
  const env = { PATH: `${folder}:${process.env['PATH']}`, KABARI_KEY: key, KABARI_URL: address };
  const withoutIds = (text: string) => text.replaceAll(/msg_\w{26}/g, 'msg_');
  for (const [, command = '', output = ''] of examples) {
    const { code, out, err } = await ended('sh', ['-c', `cd '${folder}' && ${command}`], env);
    expect([code, withoutIds(out), err], command).toEqual([0, withoutIds(output), '']);
  }
});

test('shows the account and the permissions of a key', async ({ ani, address }) => {
  const env = { KABARI_KEY: ani.key, KABARI_URL: address };
  const { code, out } = await kabari(env, 'me');
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/, token .* \(simulated\)\n.*; 0 of 5 today\nmay: messages\.send, /),
  ]);
  const json = await kabari(env, 'me', '--json');
  const me = (await ani.call('/v1/me')).body;
  expect(JSON.parse(json.out)).toEqual(me);
});

test('a refusal is printed as its sentence, with code, request id and fields', async ({
  ani,
  address,
}) => {
  const env = { KABARI_KEY: ani.key, KABARI_URL: address };
  const wrong = await kabari(env, 'send', 'ibu', 'Halo');
  expect(wrong).toMatchObject({ code: 1, out: '' });
  expect(wrong.err).toMatch(
    /^kabari: .*\(422 input_invalid\) \[req_\w+\]\n {2}to: Expected a phone/,
  );
  const indonesian = await kabari({ ...env, LANG: 'id_ID.UTF-8' }, 'send', 'ibu', 'Halo');
  expect(indonesian.err).toContain('to: Harus nomor telepon');
  const key = `${ani.key.slice(0, -1)}_`;
  const unknown = await kabari({ ...env, KABARI_KEY: key }, 'balance');
  expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('token_invalid')]);
  expect(unknown.err).not.toContain(key);
});

test('wrong usage prints help, and sends no request', async () => {
  const env = { KABARI_KEY: 'kbr_test_x', KABARI_URL: 'http://127.0.0.1:9' };
  for (const [given, says, own = {}] of [
    [[], /KABARI_KEY/],
    [['nada'], /no command/],
    [['__proto__'], /no command/],
    [['send'], /To whom/],
    [['send', '0812'], /To whom/],
    [['send', '0812', 'x', '--nada'], /nada[\s\S]*kabari send/],
    [['send', '0812', '--image', '/etc/passwd'], /takes a link/],
    [['send', '0812', 'x', '--file', '/nowhere/a.png'], /cannot be read \(ENOENT\)/],
    [['send', '0812', '--file', 'a', '--image', 'https://a.example/a.png'], /One file/],
    [['send', '0812', 'x', '--audio', 'https://a.example/a.ogg'], /no text/],
    [['replay'], /Which ones/],
    [['replay', 'whd_x', '--from', '2026-11-21T00:00:00Z'], /Which ones/],
    [['replay', 'whd_x', '--all'], /Which ones/],
    [['balance'], /no key/, { KABARI_KEY: '' }],
    [['balance'], /no key/, { KABARI_KEY: 'a b' }],
    [['balance'], /no address/, { KABARI_URL: 'localhost' }],
    [['balance'], /http/, { KABARI_URL: 'file:///etc/passwd' }],
    [['balance'], /without a name/, { KABARI_URL: 'http://a:b@localhost' }],
  ] as [string[], RegExp, Record<string, string>?][]) {
    const { code, out, err } = await kabari({ ...env, ...own }, ...given);
    expect([given, code], err).toEqual([given, 2]);
    expect(out + err).toMatch(says);
    expect(err).not.toMatch(/^\s+at /m);
  }
  expect(await kabari({}, 'help')).toMatchObject({ code: 0, err: '' });
});

test('an unreachable service names KABARI_URL; invalid UTF-8 is not sent', async ({
  answering,
}) => {
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address() as AddressInfo;
  await new Promise((done) => closed.close(done));
  const nobody = { KABARI_KEY: 'k', KABARI_URL: `http://127.0.0.1:${port}` };
  const { code, err } = await kabari(nobody, 'balance');
  expect([code, err]).toEqual([3, expect.stringMatching(/ECONNREFUSED.*KABARI_URL/)]);
  let asked = 0;
  const url = await answering((_request, response) => {
    asked += 1;
    response.end();
  });
  const piped = `printf 'Halo \\377' | '${process.execPath}' '${program}' send 0812-3456-7890 -`;
  const broken = await ended('sh', ['-c', piped], { KABARI_KEY: 'k', KABARI_URL: url });
  expect([broken.code, broken.err, asked]).toEqual([2, expect.stringContaining('UTF-8'), 0]);
});

test('a local file is sent with its detected type; a refused one prints the reason', async ({
  ani,
  address,
  folder,
}) => {
  const env = { KABARI_KEY: ani.key, KABARI_URL: address };
  const png = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'teal' } })
    .png()
    .toBuffer();
  await writeFile(join(folder, 'kue.png'), png);
  await writeFile(join(folder, 'page.html'), '<html>');
  const send = (file: string, ...more: string[]) =>
    kabari(env, 'send', '0812-3456-7890', 'Kue', '--file', join(folder, file), '--json', ...more);
  const first = await send('kue.png', '--key', 'kue-1');
  expect([first.code, first.err]).toEqual([0, '']);
  const { body } = await ani.call(`/v1/messages/${JSON.parse(first.out).id}`);
  expect(body).toMatchObject({
    type: 'image',
    content: { caption: 'Kue', file: { mime_type: 'image/png' } },
  });
  // A repeat neither stores nor sends it again.
  expect((await send('kue.png', '--key', 'kue-1')).out).toBe(first.out);
  const refused = await send('page.html');
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('upload_kind_refused')]);
});

test('a message is sent once, even if the service was busy and briefly away', async ({
  answering,
}) => {
  const keys: unknown[] = [];
  const url = await answering((request, response) => {
    keys.push(request.headers['idempotency-key']);
    if (keys.length === 1) return void request.socket.destroy();
    const busy = keys.length === 2;
    response.writeHead(busy ? 503 : 202, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(
        busy
          ? { code: 'busy', detail: 'Sibuk.', retryable: true }
          : { id: 'msg_1', status: 'accepted', price: 150, saldo: 0 },
      ),
    );
  });
  const { code, out } = await kabari({ KABARI_KEY: 'k', KABARI_URL: url }, 'send', '0812', 'Halo');
  expect([code, out]).toEqual([0, 'msg_1 accepted, Rp150; saldo Rp0\n']);
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(1);
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
});

test('a key is sent nowhere else, and output cannot control the terminal', async ({
  answering,
}) => {
  const asked: unknown[] = [];
  const elsewhere = await answering((request, response) => {
    asked.push(request.headers.authorization);
    response.end();
  });
  const leading = await answering((_request, response) =>
    response.writeHead(307, { location: `${elsewhere}/v1/balance` }).end(),
  );
  const led = await kabari({ KABARI_KEY: 'k', KABARI_URL: leading }, 'balance');
  expect([led.code, asked]).toEqual([3, []]);

  const rude = await answering((_request, response) =>
    response
      .writeHead(400, { 'content-type': 'application/problem+json' })
      .end(JSON.stringify({ code: 'x', detail: 'a\u001b[2Jb\u009b31m\u202ec' })),
  );
  const { err } = await kabari({ KABARI_KEY: 'k', KABARI_URL: rude }, 'balance');
  // oxlint-disable-next-line no-control-regex -- it is what must not be there.
  expect(err.trimEnd()).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
});

test('events go to a local program as signed webhooks, in order, none lost or duplicated', async ({
  answering,
  folder,
}) => {
  const event = (seq: number) => ({
    type: 'message.received',
    timestamp: '2026-11-23T08:00:00.000Z',
    data: {
      account: 'acc_1',
      token: 'tok_1',
      seq,
      peer: '62812',
      content: { text: 'é' },
    },
  });
  const all = [1, 2, 3, 4, 5].map(event);
  const url = await answering((request, response) => {
    const after = Number(new URL(request.url ?? '', 'http://x').searchParams.get('after'));
    const data = all.filter((one) => one.data.seq > after).slice(0, 2);
    const next = data.at(-1)?.data.seq ?? after;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ data, next, has_more: next < all.length }));
  });
  const received: { headers: Record<string, string>; body: string }[] = [];
  const target = await answering((request, response) => {
    void textOf(request).then((body) => {
      received.push({ headers: request.headers as Record<string, string>, body });
      // The second one is refused at first, and the fourth gets no response.
      if (received.length !== 4) response.writeHead(received.length === 2 ? 500 : 204).end();
    });
  });
  const env = { KABARI_KEY: 'k', KABARI_URL: url, HOME: folder };
  const forwarded = async (deliveries: number, taken: number, ...given: string[]) => {
    const child = spawn(process.execPath, [program, 'forward', `${target}/hook`, ...given], {
      env,
    });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (more: string) => (out += more));
    const closed = new Promise((done) => child.on('close', done));
    await waitFor(() => {
      expect(received).toHaveLength(deliveries);
      expect(out.match(/^204 /gm)).toHaveLength(taken);
    });
    child.kill('SIGINT');
    expect(await closed).toBe(130);
    return /^Secret: (whsec_\S+)$/m.exec(out)?.[1] ?? '';
  };
  const secret = await forwarded(4, 2, '--after', '0');
  expect(await forwarded(7, 3)).toBe(secret);
  const seen = received.map(({ body }) => JSON.parse(body).data.seq);
  expect(seen).toEqual([1, 2, 2, 3, 3, 4, 5]);
  const webhook = new Webhook(secret);
  for (const { headers, body } of received) {
    expect(webhook.verify(body, headers)).toEqual(event(JSON.parse(body).data.seq));
  }
  expect(received[1]?.headers['webhook-id']).toBe(received[2]?.headers['webhook-id']);
  const elsewhere = await kabari(env, 'forward', 'https://lain.example/hook');
  expect(elsewhere.code).toBe(2);
  expect(elsewhere.err).toContain('Only addresses of this machine are taken');
  expect(elsewhere.err).toContain('lain.example');
});

test('Ctrl-C ends a call that waits', async ({ answering }) => {
  let arrived = () => {};
  const asked = new Promise<void>((done) => (arrived = done));
  const url = await answering(() => arrived());
  const child = spawn(process.execPath, [program, 'balance'], {
    env: { KABARI_KEY: 'k', KABARI_URL: url },
    stdio: 'ignore',
  });
  const closed = new Promise((done) => child.on('close', done));
  await asked;
  child.kill('SIGINT');
  expect(await closed).toBe(130);
});

test('npx runs it in a clone without an install, and from a package', async ({ folder }) => {
  const run = promisify(execFile);
  for (const file of ['package.json', 'LICENSE', 'tools/cli']) {
    await cp(join(root, file), join(folder, 'clone', file), { recursive: true });
  }
  const options = { cwd: join(folder, 'clone'), env: { ...process.env, HOME: folder } };
  const clone = await run('npm', ['exec', '--offline', '--yes', '--', 'kabari', 'help'], options);
  expect(clone.stdout).toContain('kabari send <to> <text>');
  await run('npm', ['pack', '--offline', '--silent', '--pack-destination', folder], options);
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  await run('tar', ['-xzf', join(folder, `kabari-${version}.tgz`), '-C', folder]);
  const packed = join(folder, 'package/tools/cli/kabari.mjs');
  expect((await run(packed, ['help'])).stdout).toBe(clone.stdout);
});
