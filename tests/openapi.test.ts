import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Validator } from '@seriousme/openapi-schema-validator';
import { generateSource } from 'oazapfts';
import { expect, onTestFinished } from 'vitest';
import * as z from 'zod';
import { apiEndpoints } from '#contract/rest.ts';
import { eventTypes } from '#contract/webhooks.ts';
import { callerOf, test } from './support/app/api-caller.ts';
import type { RunningApp } from './support/app/running-app.ts';
import { startTarget } from './support/webhooks/webhook-target.ts';

const documentOf = async ({ app }: RunningApp) => {
  const answer = await app.inject({ url: '/v1/openapi.json' });
  expect(answer.statusCode).toBe(200);
  return answer.json();
};

test('describes the API as valid OpenAPI 3.1, with every endpoint', async ({ running }) => {
  const document = await documentOf(running);
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
  expect(document.openapi).toMatch(/^3\.1\./);
  const described = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const all = Object.values(apiEndpoints).map(
    ({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
  );
  expect(described.toSorted()).toEqual(all.toSorted());
  expect(Object.keys(document.webhooks).toSorted()).toEqual(eventTypes.toSorted());
  for (const [type, { post }] of Object.entries<Webhooks[string]>(document.webhooks)) {
    const { schema } = post.requestBody.content['application/json'];
    expect(schema.properties.type.const, type).toBe(type);
    expect(schema.properties.data.required, type).toEqual(
      expect.arrayContaining(['account', 'token', 'seq']),
    );
  }
});

test('describes the refusals of one message and of many', async ({ running, db }) => {
  const ani = await callerOf(running, db);
  const { paths, components } = await documentOf(running);
  const { $ref } =
    paths['/v1/messages'].post.responses['422'].content['application/problem+json'].schema;
  const described = z.fromJSONSchema(components.schemas[$ref.split('/').at(-1)]);
  for (const body of [{ to: 'x' }, { messages: [{ to: 'x' }, { to: 'y' }] }]) {
    const answer = await ani.call('/v1/messages', { body });
    expect(answer.status).toBe(422);
    expect(described.parse(answer.body)).toEqual(answer.body);
  }
});

type Payload = {
  properties: { type: { const: string }; data: { required: string[] } };
};
type Webhooks = Record<
  string,
  { post: { requestBody: { content: { 'application/json': { schema: Payload } } } } }
>;

type Call = { method?: string; headers?: Headers; body?: unknown };
type Fetch = (url: string, call?: Call) => Promise<Response>;

/** The client that an external generator makes of the document: one function per endpoint. */
type Client = Record<
  string,
  (...given: unknown[]) => Promise<{ status: number; data: unknown }>
> & {
  defaults: { baseUrl: string; headers: Record<string, string>; fetch: Fetch };
};

async function withClient(document: object, use: (client: Client) => Promise<void>) {
  // Within the repository, so that its imports resolve.
  const place = join(import.meta.dirname, '../node_modules/.cache');
  await mkdir(place, { recursive: true });
  const folder = await mkdtemp(join(place, 'api-client-'));
  try {
    const spec = join(folder, 'openapi.json');
    await writeFile(spec, JSON.stringify(document));
    const source = stripTypeScriptTypes(await generateSource(spec));
    const file = join(folder, 'client.mjs');
    await writeFile(file, source);
    await use((await import(/* @vite-ignore */ pathToFileURL(file).href)) as Client);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test('a generated client sends, reads, cancels, opts out, and sets a webhook', async ({
  openApp,
  db,
}) => {
  const target = await startTarget();
  onTestFinished(target.close);
  const running = await openApp({ env: { WEBHOOK_ORIGINS: target.origin } });
  const ani = await callerOf(running, db, { saldo: 10_000 });
  await withClient(await documentOf(running), async (client) => {
    client.defaults.baseUrl = '';
    client.defaults.headers = { authorization: `Bearer ${ani.key}` };
    client.defaults.fetch = async (url, init = {}) => {
      const { statusCode, headers, rawPayload } = await running.app.inject({
        method: (init.method ?? 'GET') as 'GET',
        url,
        headers: Object.fromEntries(new Headers(init.headers)),
        ...(typeof init.body === 'string' && { payload: init.body }),
      });
      const type = String(headers['content-type'] ?? '');
      const body = statusCode === 204 ? null : new Uint8Array(rawPayload);
      return new Response(body, { status: statusCode, headers: { 'content-type': type } });
    };
    const call = async (name: string, ...given: unknown[]) => {
      const { [name]: made } = client;
      if (!made) throw new Error(`the client has no ${name}`);
      return made(...given);
    };
    for (const name of Object.keys(apiEndpoints)) expect(client, name).toHaveProperty(name);
    const message = { to: '62800000001', type: 'text', text: { body: 'Halo' } };
    const later = { ...message, send_at: '2030-01-07T09:00:00+07:00' };
    const sent = await call('sendMessage', later);
    expect(sent.status).toBe(202);
    const { id } = sent.data as { id: string };
    expect(await call('getMessage', id)).toMatchObject({ status: 200, data: { id } });
    expect(await call('listMessages', { limit: '1' })).toMatchObject({ data: { data: [{ id }] } });
    const cancelled = await call('cancelMessage', id);
    expect(cancelled).toMatchObject({ status: 200, data: { status: 'cancelled' } });
    expect(await call('getMe')).toMatchObject({ data: { token: { status: 'linked' } } });
    expect(await call('getBalance')).toMatchObject({ data: { available: 10_000, held: 0 } });
    expect(await call('addOptOut', { phone: '6281234567890' })).toMatchObject({ status: 201 });
    expect(await call('removeOptOut', '6281234567890')).toMatchObject({ status: 204 });
    const saved = await call('setWebhook', { url: target.url, kinds: ['message.received'] });
    expect(saved).toMatchObject({ status: 200, data: { webhook: { state: 'on' } } });
    const { webhook } = saved.data as { webhook: object };
    expect(await call('getWebhook')).toMatchObject({ data: { webhook } });
    expect(await call('testWebhook')).toMatchObject({ status: 200, data: { ok: true } });
    expect(await call('rotateWebhookSecret')).toMatchObject({
      data: { secret: expect.stringMatching(/^whsec_/) },
    });
    expect(await call('listDeliveries', { state: 'parked', limit: 5 })).toMatchObject({
      status: 200,
      data: { data: [], next_cursor: null },
    });
    expect(await call('getDelivery', 'whd_x')).toMatchObject({ status: 404 });
    expect(await call('replayDelivery', 'whd_x')).toMatchObject({ status: 404 });
    const period = { from: '2026-11-21T00:00:00Z', to: '2026-11-22T00:00:00Z', which: 'all' };
    expect(await call('replayDeliveries', period)).toMatchObject({
      status: 202,
      data: { replayed: 0, more: false },
    });
    expect(await call('listEvents', { after: '0', limit: '1' })).toMatchObject({
      status: 200,
      data: { data: expect.any(Array), next: expect.any(Number) },
    });
    expect(await call('removeWebhook')).toMatchObject({ status: 204 });
    expect(await call('getMessage', 'msg_x')).toMatchObject({
      status: 404,
      data: { code: 'not_found' },
    });
  });
});
