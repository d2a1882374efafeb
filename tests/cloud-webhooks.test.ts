import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { uuidOf } from '#contract/base/ids.ts';
import { kapso } from './support/dialects/cloud-clients.ts';
import { waitFor } from './support/wait-for.ts';
import { type Understood, programs } from './support/webhooks/cloud-programs.ts';
import { type Shop, test } from './support/webhooks/format-app.ts';

const answers = {
  '62800000007': 'text',
  '62800000008': 'image',
  '62800000010': 'reaction',
  '62800000011': 'video',
  '62800000012': 'audio',
  '62800000013': 'document',
  '62800000014': 'sticker',
  '62800000015': 'location',
  '62800000016': 'contacts',
} as const;
const numbers = Object.keys(answers);

const send = (shop: Shop, to: readonly string[]) =>
  Promise.all(
    to.map(async (one) => {
      const base = { phoneNumberId: shop.numberId, to: one, body: 'Pesanan Anda siap — 100%' };
      const sent = await kapso(shop).messages.sendText({ ...base, bizOpaqueCallbackData: 'A-17' });
      return sent.messages[0]?.id ?? '';
    }),
  );

const root = join(import.meta.dirname, '..');
const nobody = (): Understood => ({ statuses: [], messages: [], answers: [] });

const find = (values: ReturnType<typeof valueOf>[], type: string) =>
  values.flatMap(({ messages = [] }) => messages).find((message) => message.type === type);

const valueOf = ({ body }: { body: string }) => JSON.parse(body).entry[0].changes[0].value;

for (const [name, { program, hearsStatuses }] of Object.entries(programs)) {
  test(`${name} processes our events, and rejects altered ones`, async ({ shop }) => {
    const { receiver } = shop;
    const understood = nobody();
    await shop.tell('cloud', (known) => program(known, understood));
    const ids = await send(shop, numbers);
    await waitFor(() => {
      const types = Object.fromEntries(
        understood.messages.map(({ from = '', type }) => [from, type]),
      );
      const expectedTypes: Record<string, string> = { ...answers };
      // One library skips contacts.
      if (!hearsStatuses) delete expectedTypes['62800000016'];
      expect(types).toEqual(expectedTypes);
    });
    // Of receipts that come together only the last is published.
    if (hearsStatuses) {
      await waitFor(() => {
        expect(understood.statuses).toEqual(expect.arrayContaining(ids.map((id) => `${id} read`)));
      });
    }
    const [post] = receiver.posts;
    const { body = '', headers = {} } = post ?? {};
    const postAgain = (changed: string, more: Record<string, string> = {}) =>
      fetch(receiver.url, { method: 'POST', body: changed, headers: { ...headers, ...more } });
    expect((await postAgain(body)).status).toBe(200);
    expect((await postAgain(body.replace('"whatsapp"', '"whatsapq"'))).status).toBe(401);
    const forged = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` };
    expect((await postAgain(body, forged)).status).toBe(401);
  });
}

test('returns media, quotes, failures and custom data unchanged', async ({ shop }) => {
  const { receiver } = shop;
  await shop.tell('cloud', (known) =>
    programs['@kapso/whatsapp-cloud-api'].program(known, nobody()),
  );
  const [picture = '', quoted = '', failed = ''] = await send(shop, [
    '62800000008',
    '62800000009',
    '62800000003',
  ]);
  const values = () => receiver.posts.map(valueOf);
  const image = await waitFor(() => find(values(), 'image') ?? false);
  const { media } = kapso(shop);
  const facts = await media.get({ mediaId: image.image.id });
  expect(facts).toMatchObject({ mimeType: image.image.mime_type, sha256: image.image.sha256 });
  const bytes = await media.download({ mediaId: image.image.id, auth: 'always' });
  expect((bytes as ArrayBuffer).byteLength).toBe(Number(facts.fileSize));
  const text = await waitFor(() => find(values(), 'text') ?? false);
  expect(text.context).toEqual({ from: shop.phone, id: quoted });
  const errors = await waitFor(
    () =>
      values()
        .flatMap(({ statuses = [] }) => statuses)
        .find(({ id }) => id === failed) ?? false,
  );
  expect(errors).toMatchObject({ status: 'failed', errors: [{ code: 131_026 }] });
  const read = await waitFor(
    () =>
      values()
        .flatMap(({ statuses = [] }) => statuses)
        .find(({ id, status }) => id === picture && status === 'read') ?? false,
  );
  expect(read).toMatchObject({ biz_opaque_callback_data: 'A-17', recipient_id: '62800000008' });
});

test('delivers again with the same id and the same bytes', async ({ shop }) => {
  const { receiver, accountId, tokenId, running } = shop;
  const { calls } = running.container.webhooks;
  await shop.tell('cloud', (known) => programs['whatsapp-api-js'].program(known, nobody()));
  await send(shop, ['62800000009']);
  await waitFor(() => receiver.posts.some((post) => valueOf(post).messages !== undefined));
  const first = receiver.posts.find((post) => valueOf(post).messages !== undefined);
  const id = first?.headers['webhook-id'] ?? '';
  const uuid = uuidOf('delivery', id) ?? '';
  const shown = await waitFor(async () => {
    const delivery = await calls.get({ accountId, tokenId }, uuid);
    return delivery.state === 'delivered' && delivery;
  });
  expect(shown.body).toBe(first?.body);
  const before = receiver.posts.length;
  await calls.replay({ accountId, tokenId }, uuid);
  const postAgain = await waitFor(
    () => receiver.posts.slice(before).find(({ headers }) => headers['webhook-id'] === id) ?? false,
  );
  expect(postAgain.body).toBe(first?.body);
  expect(postAgain.headers['x-hub-signature-256']).toBe(first?.headers['x-hub-signature-256']);
});

test('leaves a webhook off if its address does not return the challenge', async ({ shop }) => {
  const { receiver, accountId, tokenId, running } = shop;
  const { calls } = running.container.webhooks;
  const token = { accountId, tokenId };
  receiver.handle(async () => new Response('ya', { status: 200 }));
  const saved = await calls.save(token, { url: receiver.url, format: 'cloud' });
  expect(saved).toMatchObject({ webhook: { state: 'off' }, test: { ok: false, status: 200 } });
  await expect(calls.setOn(token, true)).rejects.toMatchObject({
    code: 'webhook_unconfirmed',
    facts: { status: 200, why: 'challenge' },
  });
});

test('hides the secret of a body when it shows the delivery', async ({ shop }) => {
  const { receiver, accountId, tokenId, running } = shop;
  const { calls } = running.container.webhooks;
  const { secret } = await shop.tell('fonnte', () => async () => new Response('ya'));
  await send(shop, ['62800000001']);
  const post = await waitFor(() => receiver.posts[0] ?? false);
  expect(JSON.parse(post.body).secret).toBe(secret);
  const uuid = uuidOf('delivery', post.headers['webhook-id'] ?? '') ?? '';
  const shown = await calls.get({ accountId, tokenId }, uuid);
  expect(JSON.parse(shown.body ?? '').secret).toMatch(/^whsec_…....$/);
  expect(JSON.stringify(shown)).not.toContain(secret);
});

test('the documented program processes our events', async ({ shop }) => {
  const page = await readFile(join(root, 'docs/dialects/cloud-api.md'), 'utf8');
  const code = /## Webhooks\n[\s\S]*?```js\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  let output = '';
  let child: ChildProcess | undefined;
  try {
    await shop.tell('cloud', ({ secret, verifyToken }) => {
      const own = code
        .replace('VERIFY_TOKEN', verifyToken)
        .replace('APP_SECRET', secret)
        .replace('.listen(8080)', '.listen(0, function () { console.log(this.address().port) })');
      child = spawn(process.execPath, ['--input-type=module', '-e', own], { cwd: root });
      child.stdout?.on('data', (part: Buffer) => (output += part.toString('utf8')));
      const port = waitFor(() => /^\d+/.exec(output)?.[0] ?? false);
      return async (request) => {
        const { pathname, search } = new URL(request.url);
        const { method, headers } = request;
        const body = method === 'POST' ? { body: await request.text() } : {};
        return fetch(`http://127.0.0.1:${await port}${pathname}${search}`, {
          method,
          headers: Object.fromEntries([...headers].filter(([name]) => name.startsWith('x-hub'))),
          ...body,
          // A delivery may still come after the program has ended.
        }).catch(() => new Response('it has ended', { status: 503 }));
      };
    });
    const [id = ''] = await send(shop, ['62800000015']);
    await waitFor(() => {
      expect(output).toContain(`${id} read`);
      expect(output).toContain('62800000015 location');
    });
  } finally {
    child?.kill();
  }
});

const graph = async ({ origin, key }: Shop, path: string, body?: object, method?: string) => {
  const response = await fetch(`${origin}${path}`, {
    method: method ?? (body ? 'POST' : 'GET'),
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  expect(response.headers.get('content-type'), path).toContain('application/json');
  // oxlint-disable-next-line no-explicit-any -- answers of several shapes.
  return { status: response.status, body: (await response.json()) as any };
};

test('connects an inbox as Chatwoot does: its templates, its number, its own handshake token', async ({
  shop,
}) => {
  const waba = `/v14.0/${shop.businessId}`;
  for (const [name, more] of [
    ['pesanan_siap', { header: 'Toko Ani', footer: 'Balas STOP', buttons: ['Ya', 'Tidak'] }],
    ['promo', { category: 'marketing' }],
    ['salam', {}],
  ] as const) {
    const body = { name, language: 'id', body: 'Halo {{nama}}', ...more };
    await graph(shop, '/v1/templates', body);
  }
  // Without a header, with the key in the address, as its first call does.
  const listed = await fetch(
    `${shop.origin}${waba}/message_templates?limit=2&access_token=${shop.key}`,
  );
  expect(listed.status).toBe(200);
  const page = (await listed.json()) as { data: object[]; paging: { next: string } };
  expect(page.data).toEqual([
    {
      id: expect.stringMatching(/^\d{16}$/),
      name: 'pesanan_siap',
      language: 'id',
      category: 'UTILITY',
      status: 'APPROVED',
      parameter_format: 'NAMED',
      components: [
        { type: 'HEADER', format: 'TEXT', text: 'Toko Ani' },
        { type: 'BODY', text: 'Halo {{nama}}' },
        { type: 'FOOTER', text: 'Balas STOP' },
        {
          type: 'BUTTONS',
          buttons: [
            { type: 'QUICK_REPLY', text: 'Ya' },
            { type: 'QUICK_REPLY', text: 'Tidak' },
          ],
        },
      ],
    },
    expect.objectContaining({ name: 'promo', category: 'MARKETING' }),
  ]);
  const second = (await (await fetch(page.paging.next)).json()) as typeof page;
  expect(second.data).toMatchObject([{ name: 'salam' }]);
  expect(second.paging.next).toBeUndefined();
  const filtered = await graph(
    shop,
    `${waba}/message_templates?fields=name&status=APPROVED&name=PROMO`,
  );
  expect(filtered.body.data).toEqual([{ id: expect.any(String), name: 'promo' }]);
  expect(await graph(shop, `${waba}/message_templates?limit=0`)).toMatchObject({
    status: 400,
    body: { error: { code: 100 } },
  });
  expect(await graph(shop, `/v14.0/${shop.numberId}`)).toMatchObject({ status: 200 });
  expect(await graph(shop, `${waba}/phone_numbers`)).toMatchObject({
    body: { data: [{ id: shop.numberId }] },
  });

  const callback = { override_callback_uri: shop.receiver.url, verify_token: 'sandi-chatwoot' };
  shop.receiver.handle(async () => new Response(null, { status: 401 }));
  const refused = await graph(shop, `${waba}/subscribed_apps`, callback);
  expect(refused).toMatchObject({ status: 422, body: { error: { code: 100 } } });
  const understood = nobody();
  const { program } = programs['@kapso/whatsapp-cloud-api'];
  shop.receiver.handle(program({ secret: '', verifyToken: 'sandi-chatwoot' }, understood));
  expect(await graph(shop, `${waba}/subscribed_apps`, callback)).toEqual({
    status: 200,
    body: { success: true },
  });
  expect((await graph(shop, `${waba}/subscribed_apps`)).body.data).toMatchObject([
    { override_callback_uri: shop.receiver.url },
  ]);
  for (const wrong of [{ verify_token: 'x' }, { ...callback, verify_token: 'a b' }]) {
    expect(await graph(shop, `${waba}/subscribed_apps`, wrong)).toMatchObject({
      status: 400,
      body: { error: { code: 100 } },
    });
  }
  await graph(shop, `${waba}/subscribed_apps`, undefined, 'DELETE');
  expect((await graph(shop, `${waba}/subscribed_apps`)).body.data).toEqual([]);
});

test('answers unknown addresses of the Cloud API as Meta does, for every method', async ({
  shop,
}) => {
  for (const path of ['/v13.0', '/v13.0/', '/v99.0/app/subscriptions', `/${shop.businessId}/x/y`]) {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      expect(await graph(shop, path, undefined, method), `${method} ${path}`).toMatchObject({
        status: 404,
        body: { error: { code: 803, type: 'GraphMethodException' } },
      });
    }
  }
});
