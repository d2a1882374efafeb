import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { MessageStatus } from '#contract/messages.ts';
import { failures } from '#contract/messages/failures.ts';
import { type RefusalCode, refusals } from '#contract/base/refusals.ts';
import { TEMPLATE_LIMITS } from '#contract/messages/templates.ts';
import { API_LIMITS, MESSAGES_MAX } from '#contract/rest/endpoint.ts';
import { CONTACT_PHONES_MAX, NewMessage } from '#contract/rest/messages.ts';
import { apiEndpoints, apiRefusals } from '#contract/rest.ts';
import { WEBHOOK_LIMITS } from '#contract/webhooks.ts';
import { fixedOutcomeOf } from '#server/domains/channels/simulator/outcomes.ts';
import { settings } from '#server/infra/settings/settings.ts';
import { picture } from './support/app/uploads-app.ts';
import { recordNames } from '#server/domains/messages/messages.ts';
import { asAccount } from '#server/infra/postgres/database.ts';
import { callerAt, callerOf, test } from './support/app/api-caller.ts';
import type { RunningApp } from './support/app/running-app.ts';
import type { TestDatabase } from './support/database/database.ts';
import { startTarget } from './support/webhooks/webhook-target.ts';

const page = await readFile(join(import.meta.dirname, '../docs/api.md'), 'utf8');

type Example = { request: string; status: number; answer: unknown };

const examples: Example[] = [
  ...page.matchAll(/```sh\n([\s\S]*?)```\n\n```(?:json|text) (\d{3})\n([\s\S]*?)```/g),
].map(([, request = '', status, answer = '']) => ({
  request,
  status: Number(status),
  answer: answer === '' ? undefined : JSON.parse(answer),
}));

/** Splits a curl command into arguments, as a shell does. */
function argumentsOf(request: string, variables: Record<string, string>): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${request}`;
  const env = { PATH: process.env['PATH'], ...variables };
  return execFileSync('sh', ['-c', script], { env }).toString().split('\0').slice(0, -1);
}

const kue = await picture('png', { width: 1_200, height: 800 });

/** Builds the form that curl would send; every file is the same picture. */
async function formWith(fields: readonly string[]) {
  const form = new FormData();
  for (const field of fields) {
    const [name = '', value = ''] = field.split(/=(.*)/s);
    if (value.startsWith('@')) form.append(name, new Blob([new Uint8Array(kue)]), value.slice(1));
    else form.append(name, value);
  }
  const sent = new Response(form);
  return {
    type: sent.headers.get('content-type') ?? '',
    body: Buffer.from(await sent.arrayBuffer()),
  };
}

async function callOf(given: readonly string[]) {
  const fields: string[] = [];
  const headers: Record<string, string> = {};
  let [url, method]: (string | undefined)[] = [];
  let body: string | Buffer | undefined;
  for (let at = 0; at < given.length; at++) {
    const one = given[at] ?? '';
    if (one === '-H') {
      const [name = '', value = ''] = (given[++at] ?? '').split(/:\s*(.*)/s);
      headers[name.toLowerCase()] = value;
    } else if (one === '-d') body = given[++at];
    else if (one === '-F') fields.push(given[++at] ?? '');
    else if (one === '-X') method = given[++at];
    else url = one;
  }
  if (fields.length > 0) {
    const form = await formWith(fields);
    headers['content-type'] = form.type;
    ({ body } = form);
  }
  const { pathname, search } = new URL(url ?? '');
  return { path: pathname + search, options: { headers, body, ...(method && { method }) } };
}

/** Reduces a value to its field names and types, because values differ from day to day. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return value === null ? null : typeof value;
  const parts = Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]);
  return Object.fromEntries(parts);
}

/** Fields whose values must match exactly: those that programs compare, and sentences. */
const exact = new Set([
  'kind',
  'code',
  'detail',
  'direction',
  'scopes',
  'source',
  'state',
  'status',
  'title',
  'ttl',
  'type',
]);

function wordsOf(value: unknown, name = ''): unknown[] {
  if (typeof value !== 'object' || value === null) return exact.has(name) ? [value] : [];
  return Object.entries(value).flatMap(([own, inner]) =>
    wordsOf(inner, name === 'fields' ? 'detail' : own),
  );
}

async function deliverEvents(running: RunningApp, db: TestDatabase): Promise<void> {
  await db.allAccountsSql`select publish_outbox(1000)`;
  const worker = running.container.webhooks.start();
  await worker.drain();
  await worker.close();
}

const WEBHOOK = 'https://toko.example/kabari';

const named = [
  { peer: '62800000001', name: 'Ani' },
  { peer: '6281234567890', name: 'Budi Santoso' },
  { peer: '6281200000077', name: 'Budi Santoso' },
];

test('gives the documented answer to every documented request, in page order', async ({
  db,
  openApp,
}) => {
  const target = await startTarget();
  onTestFinished(target.close);
  const running = await openApp({ env: { WEBHOOK_ORIGINS: target.origin } });
  const { accountId, key } = await callerOf(running, db, { saldo: 100_000 });
  await asAccount(db.tenantSql, accountId, (tx) => recordNames(tx, accountId, 'list', named));
  const { key: NEW_KEY } = await callerOf(running, db, { linked: false });
  const call = callerAt(running);
  const ran = new Set<string>();
  let [ID, MEDIA, DELIVERY] = ['', '', ''];
  for (const { request, status, answer } of examples) {
    const requested = request.replaceAll(WEBHOOK, target.url);
    const variables = { KEY: key, NEW_KEY, ID, MEDIA, DELIVERY };
    const { path, options } = await callOf(argumentsOf(requested, variables));
    const { body: _, ...bodiless } = options;
    const response = await call(path, options.body === undefined ? bodiless : options);
    expect(response.status, request).toBe(status);
    expect(shapeOf(response.body), request).toEqual(shapeOf(answer));
    expect(wordsOf(response.body), request).toEqual(wordsOf(answer));
    if (response.body?.status === 'scheduled') ID = response.body.id;
    await deliverEvents(running, db);
    if (path.startsWith('/v1/deliveries?')) DELIVERY = response.body.data[0].id;
    if (response.body?.id?.startsWith('med_')) MEDIA = response.body.id;
    const method = options.method ?? (options.body === undefined ? 'GET' : 'POST');
    ran.add(
      `${method} ${path
        .split('?')[0]
        ?.replace(/\/(?:msg|med|whd)_\w{26}/, '/:id')
        .replace('/pesanan_siap', '/:id')}`,
    );
  }
  const all = Object.values(apiEndpoints).map((one) => `${one.method} ${one.path}`);
  expect([...ran].toSorted()).toEqual(all.toSorted());
});

test('documents every endpoint, code, status and type of the contract', () => {
  for (const { method, path } of Object.values(apiEndpoints)) {
    expect(page).toContain(`\n## ${method} ${path.replace(':id', '{id}')}\n`);
  }
  const rows = [...page.matchAll(/^\| (\d{3}) \| `(\w+)` \|/gm)];
  const listed = rows.map(([, status, code]) => `${status} ${code}`);
  const known = (code: RefusalCode) => `${refusals[code].status} ${code}`;
  expect(listed.toSorted()).toEqual(apiRefusals.map(known).toSorted());
  for (const status of MessageStatus().options)
    expect(page).toMatch(new RegExp(`\\| .*\`${status}\``));
  for (const failure of Object.keys(failures)) expect(page).toContain(`| \`${failure}\` |`);
  for (const branch of NewMessage().def.options) {
    const [type = ''] = branch.shape.type.def.values;
    expect(page).toMatch(new RegExp(`^\\| .*\`${type}\`.* \\| \`\\{"`, 'm'));
    for (const field of Object.keys(branch.shape)) expect(page).toContain(`\`${field}\``);
  }
});

function fieldOf(type: string, ...path: string[]): { maxLength?: number; maximum?: number } {
  const { oneOf = [] } = z.toJSONSchema(NewMessage(), { io: 'input', unrepresentable: 'any' });
  type Node = { const?: string; properties?: Record<string, Node> };
  const branches = oneOf as unknown as Node[];
  let node = branches.find(({ properties }) => properties?.['type']?.const === type);
  for (const step of path) node = node?.properties?.[step];
  if (!node) throw new Error(`a ${type} has no ${path.join('.')}`);
  return node as { maxLength?: number; maximum?: number };
}

test('documents the limits that the code enforces', () => {
  const rows = new Map(
    [...page.matchAll(/^\| ([^|]+) \| ([^|]*\d[^|]*) \|$/gm)].map(([, what = '', limit = '']) => [
      what,
      (limit.match(/\d[\d,]*/g) ?? []).map((figure) => Number(figure.replaceAll(',', ''))),
    ]),
  );
  const length = (...place: [string, ...string[]]) => fieldOf(...place).maxLength;
  const rate = Number(settings.RATE_API_PER_SECOND.fallback);
  const expected: Record<string, (number | undefined)[]> = {
    'requests of a key': [rate, 2 * rate],
    body: [API_LIMITS.bodyBytes],
    'messages in one request': [MESSAGES_MAX],
    '`text.body`': [1, length('text', 'text', 'body')],
    '`caption`': [length('image', 'caption'), length('document', 'caption')],
    '`link`': [length('audio', 'audio', 'link')],
    '`document.filename`': [length('document', 'document', 'filename')],
    '`location.name`, `location.address`': [
      length('location', 'location', 'name'),
      length('location', 'location', 'address'),
    ],
    '`contact.name`': [1, length('contact', 'contact', 'name')],
    '`contact.phones`': [1, CONTACT_PHONES_MAX],
    '`contact.organization`, `contact.email`': [
      length('contact', 'contact', 'organization'),
      length('contact', 'contact', 'email'),
    ],
    template: [
      TEMPLATE_LIMITS.body,
      TEMPLATE_LIMITS.header,
      TEMPLATE_LIMITS.buttons,
      TEMPLATE_LIMITS.button,
    ],
    'templates of an account': [TEMPLATE_LIMITS.all],
    '`template.variables`': [TEMPLATE_LIMITS.variables, TEMPLATE_LIMITS.variable],
    '`ttl`': [30, fieldOf('text', 'ttl').maximum],
    '`Idempotency-Key`': [1, API_LIMITS.idempotencyKeyMax],
    'messages, mutations, opt-outs on a page': [API_LIMITS.pageMax],
    'deliveries on a page': [API_LIMITS.pageMax],
    'events on a page': [API_LIMITS.pageMax],
    '`url` of a webhook': [WEBHOOK_LIMITS.urlLength],
    'deliveries, events': [WEBHOOK_LIMITS.keptDays],
  };
  for (const [what, figures] of Object.entries(expected)) {
    for (const figure of figures) expect(rows.get(what), what).toContain(figure);
  }
});

test('documents exactly the numbers with a fixed outcome', () => {
  const listed = [...page.matchAll(/^\| `(62800\d+)` \|/gm)].map(([, phone = '']) => phone);
  expect(listed).toHaveLength(16);
  expect(listed.map(fixedOutcomeOf)).not.toContain(null);
  expect(fixedOutcomeOf('62800000017')).toBe(null);
});
