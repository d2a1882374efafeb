import type { InjectOptions } from 'fastify';
import { expect } from 'vitest';
import { UPLOAD_PATH, uploadHeaders } from '#contract/uploads.ts';
import { type Hostile, inParallel, openHostile } from './support/hostile/hostile-app.ts';
import { oddities, unstorables } from './support/hostile/hostile-strings.ts';
import { test } from './support/app/running-app.ts';

const texts = [...unstorables, ...oddities];
const BOUNDARY = 'xxkabarixx';

/** Sends a request. @returns what is wrong with the answer; `undefined` if nothing. */
async function problemOf({ running }: Hostile, what: string, options: InjectOptions) {
  const { statusCode, body } = await running.app.inject({
    remoteAddress: '203.0.113.9',
    ...options,
  });
  return statusCode < 500 ? undefined : `${what}: ${statusCode} ${body.slice(0, 100)}`;
}

const bugsIn = ({ running }: Hostile) =>
  running.lines.filter((line) => /"level":"(?:error|fatal)"/.test(line));

const part = (head: string, body: string) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`;

test('takes hostile names, types and lengths of uploads without a fault', async ({
  db,
  openApp,
}) => {
  const setup = await openHostile(db, openApp);
  const wrong: (string | undefined)[] = [];
  const post = (body: string, headers: Record<string, string> = {}): InjectOptions => ({
    method: 'POST',
    url: UPLOAD_PATH,
    headers: {
      authorization: `Bearer ${setup.session()}`,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      'sec-fetch-site': 'same-origin',
      ...headers,
    },
    payload: `${body}--${BOUNDARY}--\r\n`,
  });
  const lengths = { [uploadHeaders.length]: '10' };
  await inParallel(texts, async (text) => {
    const shown = JSON.stringify(text.slice(0, 40));
    for (const metadata of [{ type: text }, { purpose: text }, { [text]: 'x' }, text]) {
      const body = part('name="filepond"', JSON.stringify(metadata));
      wrong.push(await problemOf(setup, `metadata ${shown}`, post(body, lengths)));
    }
    const name = text.toWellFormed().replace(/[\r\n"]/g, '');
    const file = part(`name="filepond"; filename="${name}.txt"`, 'Halo');
    wrong.push(await problemOf(setup, `file name ${shown}`, post(file)));
    for (const header of [uploadHeaders.length, 'Content-Type']) {
      const headers = { [header]: text.toWellFormed() };
      wrong.push(await problemOf(setup, `${header} ${shown}`, post(file, headers)));
    }
    const address = encodeURIComponent(text.toWellFormed()).slice(0, 5_000);
    for (const verb of ['patch', 'restore', 'load', 'fetch', 'x']) {
      const headers = { authorization: `Bearer ${setup.session()}` };
      const url = `${UPLOAD_PATH}?${verb}=${address}`;
      wrong.push(await problemOf(setup, `GET ${verb} ${shown}`, { url, headers }));
    }
  });
  expect(wrong.filter((one) => one !== undefined)).toEqual([]);

  // A type that cannot be stored is named; it used to be our fault.
  const poisoned = post(part('name="filepond"', '{"type":"a\\u0000"}'), lengths);
  const { statusCode, body } = await setup.running.app.inject(poisoned);
  expect([statusCode, JSON.parse(body).error]).toMatchObject([
    422,
    { type: 'input_invalid', fields: { type: expect.stringContaining('tidak dapat disimpan') } },
  ]);
  expect(bugsIn(setup)).toEqual([]);
});

test('refuses forms and addresses that are not text, with a sentence', async ({ db, openApp }) => {
  const setup = await openHostile(db, openApp);
  const wrong: (string | undefined)[] = [];
  const form = (payload: string | Buffer, type = 'application/x-www-form-urlencoded') => ({
    method: 'POST' as const,
    url: '/api',
    headers: { 'content-type': type, 'sec-fetch-site': 'same-origin' },
    payload,
  });
  for (const bent of ['%FF', '%ED%A0%80', '%', '%0', '%C0%80', '%F5%80%80%80']) {
    for (const body of [`act=simulator_phone&phone=${bent}`, `act=${bent}`, `${bent}=1`]) {
      const { statusCode, body: payload } = await setup.running.app.inject(form(body));
      expect([statusCode, JSON.parse(payload).error.type]).toEqual([400, 'request_malformed']);
    }
  }
  const raw = Buffer.from('act=simulator_phone&phone=\xFF\xFE', 'latin1');
  expect((await setup.running.app.inject(form(raw))).statusCode).toBe(400);
  await inParallel(texts, async (text) => {
    const shown = JSON.stringify(text.slice(0, 40));
    const fields = [
      part('name="act"', 'simulator_phone'),
      part('name="phone"', `0812${text.toWellFormed()}`),
    ];
    const multipart = form(
      `${fields.join('')}--${BOUNDARY}--\r\n`,
      `multipart/form-data; boundary=${BOUNDARY}`,
    );
    wrong.push(await problemOf(setup, `multipart ${shown}`, multipart));
    for (const name of ['act', 'token', 'fcm', 'key', 'x']) {
      const fields = new URLSearchParams({ act: 'app_config', [name]: text });
      wrong.push(await problemOf(setup, `${name} ${shown}`, form(fields.toString())));
    }
    const address = encodeURIComponent(text.toWellFormed()).slice(0, 5_000);
    const paths = ['/', '/scan/', '/files/', '/v1/messages/', '/v1/', '/assets/', '/api/'];
    for (const path of paths) {
      const headers = { authorization: `Bearer ${setup.ani.key}`, accept: 'text/html' };
      wrong.push(await problemOf(setup, path + shown, { url: path + address, headers }));
      const query = `${path}?k=${address}`;
      wrong.push(await problemOf(setup, `${path}? ${shown}`, { url: query, headers }));
    }
    const agent = text.toWellFormed().replace(/[^\t\x20-\xFF]/g, '');
    const cookie = `kabari-device=${agent}`;
    const headers = { 'user-agent': agent, cookie, origin: agent, 'accept-language': agent };
    wrong.push(await problemOf(setup, `headers ${shown}`, { url: '/health/ready', headers }));
  });
  expect(wrong.filter((one) => one !== undefined)).toEqual([]);
  expect(bugsIn(setup)).toEqual([]);
});

test('survives hostile texts that an assistant passes on', async ({ db, openApp }) => {
  const setup = await openHostile(db, openApp);
  const wrong: (string | undefined)[] = [];
  const fields: [tool: string, field: string][] = [
    ['find_messages', 'peer'],
    ['find_messages', 'direction'],
    ['find_messages', 'status'],
    ['find_messages', 'cursor'],
    ['read_conversation', 'peer'],
    ['read_conversation', 'cursor'],
    ['get_balance', 'x'],
    ['send_message', 'text'],
  ];
  const post = (payload: object): InjectOptions => ({
    method: 'POST',
    url: '/mcp',
    headers: {
      authorization: `Bearer ${setup.ani.key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    payload: { jsonrpc: '2.0', id: 1, ...payload },
  });
  await inParallel(texts, async (text) => {
    const shown = JSON.stringify(text.slice(0, 40));
    for (const [name, field] of fields) {
      const params = { name, arguments: { [field]: text } };
      wrong.push(
        await problemOf(setup, `${name} ${field} ${shown}`, post({ method: 'tools/call', params })),
      );
    }
    wrong.push(await problemOf(setup, `method ${shown}`, post({ method: text })));
    const params = { name: text, arguments: { [text]: text } };
    wrong.push(await problemOf(setup, `name ${shown}`, post({ method: 'tools/call', params })));
  });
  expect(wrong.filter((one) => one !== undefined)).toEqual([]);
  expect(bugsIn(setup)).toEqual([]);
});
