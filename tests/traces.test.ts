import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { publicId, uuidOf } from '#contract/base/ids.ts';
import { signedIn } from '#tests/support/app/running-app.ts';
import { type Started, addressOf, test } from '#tests/support/app/started-app.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { type Collector, startCollector } from '#tests/support/traces/collector.ts';
import type { Span } from '#tests/support/traces/otlp.ts';
import { startTarget } from '#tests/support/webhooks/webhook-target.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { browserOf, keyFor } from '#tests/support/people/people.ts';

const TEXT = 'kenari-teks-rahasia';
const REF = 'kenari-acuan';
const SECRET_HEADER = 'kenari-kunci-pengumpul';
const READER = '62800000001';
const CALLER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };

async function collectorOf(): Promise<Collector> {
  const collector = await startCollector();
  onTestFinished(() => collector.close());
  return collector;
}

async function callerOf(db: TestDatabase) {
  const ani = await signedIn(db, { saldo: 10_000 });
  const key = await keyFor(db.allAccountsSql, ani);
  return { ...ani, key };
}

const callerAt =
  (address: string, key: string) =>
  async (path: string, body: object, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${address}${path}`, {
      method: path === '/v1/webhook' ? 'PUT' : 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify(body),
    });
    // oxlint-disable-next-line no-explicit-any -- answers of any shape.
    return { status: answer.status, body: (await answer.json()) as any };
  };

async function openTab(address: string, token: string): Promise<() => string> {
  const end = new AbortController();
  onTestFinished(() => end.abort());
  const response = await fetch(`${address}/api`, {
    method: 'POST',
    headers: { cookie: `kabari-device=${browserOf(token)}` },
    body: new URLSearchParams({ act: 'events', fcm: '', token }),
    signal: end.signal,
  });
  let text = '';
  void (async () => {
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) text += decoder.decode(bytes, { stream: true });
  })().catch(() => undefined);
  await waitFor(() => expect(text).toContain('event: reset'));
  return () => text;
}

/** Settings of a process that records which OpenTelemetry modules it loads, and that record. */
async function watchedModules(folder: string) {
  const file = join(folder, 'loaded.txt');
  await writeFile(file, '');
  const preload = import.meta.resolve('./support/traces/loaded.ts');
  return {
    env: { NODE_OPTIONS: `--import ${preload}`, LOADED_MODULES: file },
    names: () => readFile(file, 'utf8'),
  };
}

/** Ends processes gracefully, so that pending spans are sent. */
async function stop(...apps: readonly Started[]): Promise<void> {
  for (const { child } of apps) child.kill('SIGTERM');
  for (const { exit, err } of apps) expect([await exit, err()]).toEqual([0, '']);
}

const traceOf = (publicMessageId: string): string =>
  (uuidOf('message', publicMessageId) ?? '').replaceAll('-', '');

const byStart = (a: Span, b: Span): number => Number(a.start - b.start);
const named = (spans: readonly Span[], name: string): Span => {
  const found = spans.filter((span) => span.name === name);
  expect(found, name).toHaveLength(1);
  return found[0]!;
};

test('one trace follows a message over two processes, from the request to its read status', async ({
  start,
  db,
}) => {
  const [collector, target, ani] = [await collectorOf(), await startTarget(), await callerOf(db)];
  onTestFinished(() => target.close());
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: `x-collector-key=${SECRET_HEADER}`,
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=uji',
    OTEL_SERVICE_NAME: 'kabari-uji',
    WEBHOOK_ORIGINS: target.origin,
    LOG_LEVEL: 'info',
  };
  const worker = start({ ...env, ROLE: 'worker' });
  const web = start({ ...env, ROLE: 'web' });
  const address = await addressOf(web);
  const call = callerAt(address, ani.key);
  const { status: saved } = await call('/v1/webhook', { url: target.url });
  expect(saved).toBe(200);
  const tab = await openTab(address, ani.token);
  const traceparent = `00-${CALLER.traceId}-${CALLER.spanId}-00`;
  const sent = await call(
    '/v1/messages',
    { to: READER, text: { body: TEXT }, ref: REF, metadata: { kunci: TEXT } },
    { traceparent },
  );
  expect(sent).toMatchObject({ status: 202 });
  const { id } = sent.body;
  await waitFor(() => expect(tab()).toMatch(/"status":"read"/));
  await waitFor(() => {
    const readEvents = target.posts.filter(({ event }) => event.type === 'message.read');
    expect(readEvents).toHaveLength(1);
  });
  await stop(web, worker);

  const spans = collector.spans.filter(({ traceId }) => traceId === traceOf(id)).toSorted(byStart);
  const request = named(spans, 'POST /v1/messages');
  expect(request).toMatchObject({
    kind: 'server',
    parentSpanId: '',
    links: [CALLER],
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/v1/messages',
      'http.response.status_code': 202,
      'url.scheme': 'http',
      'kabari.request.id': expect.stringMatching(/^req_/),
    },
    resource: {
      'service.name': 'kabari-uji',
      'kabari.role': 'web',
      'deployment.environment.name': 'uji',
    },
    isFailed: false,
  });
  const root = named(spans, 'accept');
  expect(root).toMatchObject({
    kind: 'producer',
    parentSpanId: request.spanId,
    spanId: traceOf(id).slice(16),
    links: [],
    attributes: {
      'messaging.system': 'kabari',
      'messaging.operation.name': 'accept',
      'messaging.operation.type': 'create',
      'messaging.message.id': id,
      'kabari.account.id': publicId('account', ani.accountId),
      'kabari.token.id': publicId('token', ani.tokenId),
      'kabari.message.type': 'text',
    },
  });
  // Statuses applied in one call are published only as the last one.
  const isSkipped = (name: string) => /^(publish|webhook|live) (sent|delivered)$/.test(name);
  const names = spans.map(({ name }) => name).filter((name) => !isSkipped(name));
  expect(names.toSorted()).toEqual(
    [
      'POST /v1/messages',
      'accept',
      'claim',
      'send simulator',
      'settle sent',
      'settle delivered',
      'settle read',
      'publish queued',
      'publish read',
      'live queued',
      'live read',
      'webhook accepted',
      'webhook read',
    ].toSorted(),
  );
  const inOrder = ['POST /v1/messages', 'accept', 'claim', 'send simulator', 'settle sent'];
  for (const order of [
    [...inOrder, 'settle read', 'publish read', 'webhook read'],
    [...inOrder, 'settle delivered'],
  ]) {
    expect(order.map((name) => named(spans, name)).toSorted(byStart)).toEqual(
      order.map((name) => named(spans, name)),
    );
  }
  for (const span of spans) {
    if (span !== request && span !== root)
      expect(span).toMatchObject({ parentSpanId: root.spanId });
    expect(span.end).toBeGreaterThanOrEqual(span.start);
    expect(span.isFailed).toBe(false);
  }
  const roles = new Map(spans.map(({ name, resource }) => [name, resource['kabari.role']]));
  for (const name of ['accept', 'live read']) expect(roles.get(name)).toBe('web');
  for (const name of ['claim', 'send simulator', 'settle read', 'publish read', 'webhook read'])
    expect(roles.get(name)).toBe('worker');
  expect(named(spans, 'webhook read')).toMatchObject({
    kind: 'client',
    attributes: { 'http.response.status_code': 200, 'kabari.attempt': 1 },
  });
  expect(named(spans, 'send simulator')).toMatchObject({
    kind: 'consumer',
    attributes: { 'kabari.channel': 'simulator', 'kabari.outcome': 'sent', 'kabari.attempt': 1 },
  });
  for (const span of collector.spans)
    if (span.attributes['messaging.message.id'] === id) expect(span.traceId).toBe(traceOf(id));

  for (const { path, headers, bytes } of collector.requests) {
    expect(path).toBe('/v1/traces');
    expect(headers).toMatchObject({
      'content-type': 'application/x-protobuf',
      'x-collector-key': SECRET_HEADER,
    });
    for (const secret of [TEXT, REF, ani.key, ani.token, READER, READER.slice(3), ani.phone])
      expect(bytes.includes(secret), secret).toBe(false);
    expect(bytes.includes(SECRET_HEADER)).toBe(false);
    expect(bytes.includes(target.url)).toBe(false);
  }
  for (const app of [web, worker]) expect(app.out()).not.toContain(SECRET_HEADER);
});

test('no OpenTelemetry module is loaded without an endpoint', async ({ start, db, folder }) => {
  const ani = await callerOf(db);
  const loaded = await watchedModules(folder);
  const app = start({ ...loaded.env, LOG_LEVEL: 'silent' });
  const call = callerAt(await addressOf(app), ani.key);
  const { status } = await call('/v1/messages', { to: READER, text: { body: 'Halo' } });
  expect(status).toBe(202);
  await waitFor(async () =>
    expect(await db.allAccountsSql`select from messages where status = 'read'`).toHaveLength(1),
  );
  await stop(app);
  expect(await loaded.names()).toBe('');
});

test('each message of a request has its own trace, and shared work links to all', async ({
  start,
  db,
}) => {
  const [collector, ani] = [await collectorOf(), await callerOf(db)];
  const app = start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, LOG_LEVEL: 'silent' });
  const call = callerAt(await addressOf(app), ani.key);
  const messages = ['62800000001', '62800000002', '62800000011'].map((to) => ({
    to,
    text: { body: TEXT },
  }));
  const { status, body } = await call('/v1/messages', { messages });
  expect(status).toBe(202);
  const traceIds: string[] = body.data.map(({ id }: { id: string }) => traceOf(id));
  expect(new Set(traceIds).size).toBe(3);
  const { allAccountsSql: sql } = db;
  await waitFor(async () => {
    const left = await sql`select from messages where status not in ('read', 'delivered')`;
    expect(left).toEqual([]);
  });
  await waitFor(async () => expect(await sql`select from outbox`).toEqual([]));
  await stop(app);

  const rootOf = (traceId: string) => ({ traceId, spanId: traceId.slice(16) });
  const roots = traceIds.map(rootOf);
  const request = named(collector.spans, 'POST /v1/messages');
  expect(request).toMatchObject({ traceId: traceIds[0], parentSpanId: '', links: roots.slice(1) });
  const accepted = collector.spans.filter(({ name }) => name === 'accept');
  expect(accepted.map(({ traceId }) => traceId).toSorted()).toEqual(traceIds.toSorted());
  const batch = named(collector.spans, 'accept batch');
  expect(batch).toMatchObject({
    kind: 'client',
    traceId: traceIds[0],
    parentSpanId: roots[0]!.spanId,
    links: roots,
    attributes: { 'messaging.batch.message_count': 3, 'messaging.operation.type': 'send' },
  });
  const { spanId: batchId, traceId } = batch;
  for (const { traceId: own, parentSpanId, links } of accepted) {
    const isFirst = own === traceIds[0];
    expect(parentSpanId).toBe(isFirst ? request.spanId : '');
    const above = { traceId, spanId: request.spanId };
    expect(links).toEqual([{ traceId, spanId: batchId }, ...(isFirst ? [] : [above])]);
  }
  for (const own of traceIds) {
    const names = collector.spans.filter((span) => span.traceId === own).map(({ name }) => name);
    const some = ['accept', 'claim', 'send simulator', 'settle sent', 'settle delivered'];
    expect(names).toEqual(expect.arrayContaining(some));
  }
});

test('each process samples the same messages', async ({ start, db }) => {
  const [collector, ani] = [await collectorOf(), await callerOf(db)];
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.5',
    LOG_LEVEL: 'silent',
  };
  const [web, worker] = [start({ ...env, ROLE: 'web' }), start({ ...env, ROLE: 'worker' })];
  const call = callerAt(await addressOf(web), ani.key);
  const messages = Array.from({ length: 40 }, (_, n) => ({
    to: `628120000${1_000 + n}`,
    text: { body: 'Halo' },
  }));
  const { status } = await call('/v1/messages', { messages });
  expect(status).toBe(202);
  const { allAccountsSql: sql } = db;
  await waitFor(async () => {
    expect(await sql`select from dispatch`).toEqual([]);
    expect(await sql`select from outbox`).toEqual([]);
  });
  await stop(web, worker);
  const tracesOf = (name: string) =>
    collector.spans.filter((span) => span.name === name).map(({ traceId }) => traceId);
  const accepted = tracesOf('accept').toSorted();
  // All or none of forty: once in a million million times.
  expect(accepted.length).toBeGreaterThan(0);
  expect(accepted.length).toBeLessThan(40);
  for (const name of ['claim', 'settle sent', 'publish queued'])
    expect(tracesOf(name).toSorted()).toEqual(accepted);
  const request = named(collector.spans, 'POST /v1/messages');
  expect(accepted).toContain(request.traceId);
  expect(request.links).toHaveLength(accepted.length - 1);
});

test('a failing or hanging collector does no harm, and causes one log entry', async ({
  start,
  db,
  folder,
}) => {
  const [collector, ani] = [await collectorOf(), await callerOf(db)];
  const loaded = await watchedModules(folder);
  collector.answer(400);
  const app = start({
    ...loaded.env,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_BSP_SCHEDULE_DELAY: '10',
    OTEL_BSP_MAX_QUEUE_SIZE: '4',
    LOG_LEVEL: 'info',
  });
  const call = callerAt(await addressOf(app), ani.key);
  const send = () => call('/v1/messages', { to: READER, text: { body: TEXT } });
  expect(await send()).toMatchObject({ status: 202 });
  await waitFor(() => expect(app.out()).toContain('traces are incomplete'));
  collector.answer('never');
  for (let n = 0; n < 20; n++) expect(await send()).toMatchObject({ status: 202 });
  await waitFor(async () => {
    const read = await db.allAccountsSql`select from messages where status = 'read'`;
    expect(read).toHaveLength(21);
  });
  await stop(app);
  expect(await loaded.names()).toContain('@opentelemetry/sdk-trace');
  const warnings = app
    .out()
    .split('\n')
    .filter((line) => line.includes('traces are incomplete'));
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).not.toContain(TEXT);
});
