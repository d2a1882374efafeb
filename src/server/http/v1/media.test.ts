import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Caller, callerOf, inEnglish, test } from '#tests/support/app/api-caller.ts';
import { type NamedFile, fileForm } from '#tests/support/hostile/file-form.ts';
import { noise, pdfOf, picture } from '#tests/support/app/uploads-app.ts';
import { brokenMultiparts } from '#tests/support/hostile/broken-multipart.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const png = await picture('png', { width: 900, height: 600 });
const kue: NamedFile = { name: 'kue.png', type: 'image/png', bytes: png };

type Parts = Parameters<typeof fileForm>[0];

const upload = ({ call }: Caller, parts: Parts, headers: Record<string, string> = {}) => {
  const form = fileForm(parts);
  return call('/v1/media', { body: form.body, headers: { ...form.headers, ...headers } });
};

const filesIn = async (ani: Caller, files: readonly (readonly [string, NamedFile])[]) => {
  const ids: Record<string, string> = {};
  for (const [kind, file] of files) {
    const { status, body } = await upload(ani, [['file', file]]);
    expect([kind, status]).toEqual([kind, 201]);
    ids[kind] = body.id;
  }
  return ids;
};

test('a file is uploaded, described, read without a key, and deleted', async ({ ani, running }) => {
  const { status, body } = await upload(ani, [['file', kue]]);
  expect([status, body]).toEqual([
    201,
    {
      id: expect.stringMatching(/^med_/),
      name: 'kue.png',
      mime_type: 'image/png',
      size: expect.any(Number),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      width: 900,
      height: 600,
      duration: null,
      created_at: expect.any(String),
      expires_at: expect.any(String),
      url: expect.stringMatching(/^http:\/\/localhost.*\/files\/fil_/),
      url_expires_at: expect.any(String),
    },
  ]);
  expect(await ani.call(`/v1/media/${body.id}`)).toMatchObject({ status: 200, body });
  const { pathname, search } = new URL(body.url);
  const file = await running.app.inject({ url: pathname + search });
  expect(file.headers['content-type']).toBe('image/png');
  expect(file.rawPayload.length).toBe(body.size);
  expect(createHash('sha256').update(file.rawPayload).digest('hex')).toBe(body.sha256);

  expect((await ani.call(`/v1/media/${body.id}`, { method: 'DELETE' })).status).toBe(204);
  for (const method of ['GET', 'DELETE']) {
    expect(await ani.call(`/v1/media/${body.id}`, { method, headers: inEnglish })).toMatchObject({
      status: 404,
      body: { code: 'not_found', detail: expect.stringContaining('The file was not found') },
    });
  }
  expect((await running.app.inject({ url: pathname + search })).statusCode).toBe(404);
});

test('audio has its duration', async ({ ani }) => {
  const bytes = await readFile(
    join(import.meta.dirname, '../../../../tests/support/media/suara.mp3'),
  );
  const { body } = await upload(ani, [['file', { name: 'suara.mp3', type: 'audio/mpeg', bytes }]]);
  expect(body).toMatchObject({ mime_type: 'audio/mpeg', width: null, height: null });
  expect(body.duration).toBeGreaterThan(0);
});

test('the parts of the form come in any order, and the name may be another', async ({ ani }) => {
  const orders: Parts[] = [
    [
      ['file', kue],
      ['name', 'Kue hari ini'],
    ],
    [
      ['name', 'Kue hari ini'],
      ['file', kue],
    ],
  ];
  for (const parts of orders) {
    expect(await upload(ani, parts)).toMatchObject({
      status: 201,
      body: { name: 'Kue hari ini.png', mime_type: 'image/png' },
    });
  }
  const streamed = { name: 'blob', type: 'application/octet-stream', bytes: png };
  expect((await upload(ani, [['file', streamed]])).body.name).toBe('blob.png');
});

test('files of another account are not found: neither shown, sent nor deleted', async ({
  ani,
  running,
  db,
}) => {
  const budi = await callerOf(running, db, { saldo: 1_000 });
  const { image: id = '' } = await filesIn(ani, [['image', kue]]);
  for (const method of ['GET', 'DELETE']) {
    expect((await budi.call(`/v1/media/${id}`, { method })).status).toBe(404);
  }
  const message = { to: '0812-3456-7890', type: 'image', image: { id } };
  expect(await budi.call('/v1/messages', { body: message })).toMatchObject({
    status: 422,
    body: { code: 'media_not_found' },
  });
  expect((await ani.call(`/v1/media/${id}`)).status).toBe(200);
  for (const strange of ['x', `fil_${id.slice(4)}`, `med_${'0'.repeat(26)}`, `${id}x`]) {
    expect((await ani.call(`/v1/media/${strange}`)).status, strange).toBe(404);
  }
});

test('every type with a file is sent by the file’s id, with the file’s facts', async ({
  running,
  db,
}) => {
  const ani = await callerOf(running, db, { saldo: 10_000 });
  const latin1 = (text: string) => Buffer.from(text, 'latin1');
  const webp = await picture('webp');
  const ids = await filesIn(ani, [
    ['image', kue],
    ['video', { name: 'a.mp4', bytes: latin1('\0\0\0\x20ftypisom\0\0\x02\0isomiso2') }],
    ['audio', { name: 'a.aac', bytes: latin1('\xff\xf1\x50\x80...') }],
    ['document', { name: 'menu.pdf', bytes: pdfOf(900) }],
    ['sticker', { name: 'a.webp', bytes: webp }],
  ]);
  for (const [type, id] of Object.entries(ids)) {
    const caption = ['audio', 'sticker'].includes(type) ? {} : { caption: 'Ini' };
    const message = { to: '0812-3456-7890', type, [type]: { id }, ...caption };
    const sent = await ani.call('/v1/messages', { body: message });
    expect([type, sent.status]).toEqual([type, 202]);
    const { content } = (await ani.call(`/v1/messages/${sent.body.id}`)).body;
    const { mime_type, size, sha256 } = (await ani.call(`/v1/media/${id}`)).body;
    expect(content).toEqual({
      ...caption,
      ...(type === 'document' && { filename: 'menu.pdf' }),
      link: content.link,
      expires_at: content.expires_at,
      file: { id, mime_type, size, sha256, url: content.link },
    });
    const { pathname, search } = new URL(content.link);
    expect((await running.app.inject({ url: pathname + search })).statusCode).toBe(200);
  }
});

test('a message names its file by a link or an id, and the file must fit its type', async ({
  running,
  db,
}) => {
  const ani = await callerOf(running, db, { saldo: 10_000 });
  const heavy = await picture('webp', { width: 4_000, height: 4_000 });
  const ids = await filesIn(ani, [
    ['png', kue],
    ['pdf', { name: 'a.pdf', bytes: pdfOf(900) }],
    ['webp', { name: 'a.webp', bytes: heavy }],
  ]);
  const refusal = async (type: string, source: object) => {
    const body = { to: '0812-3456-7890', type, [type]: source };
    const answer = await ani.call('/v1/messages', { body, headers: inEnglish });
    return [answer.status, answer.body.code, answer.body.detail];
  };
  const link = 'https://contoh.id/a.png';
  expect((await refusal('image', { link, id: ids['png'] }))[1]).toBe('input_invalid');
  expect((await refusal('image', {}))[1]).toBe('input_invalid');
  expect(await refusal('image', { id: ids['pdf'] })).toEqual([
    422,
    'media_unfit',
    'This file cannot be sent as image. What can: JPG, PNG, WEBP, of 5 MB at most.',
  ]);
  for (const [type, kind] of [
    ['video', 'png'],
    ['audio', 'pdf'],
    ['sticker', 'png'],
  ] as const) {
    expect((await refusal(type, { id: ids[kind] }))[1], type).toBe('media_unfit');
  }
  for (const id of Object.values(ids)) {
    expect((await refusal('document', { id }))[0]).toBe(202);
  }
  const many = ['png', 'pdf'].map((kind) => ({
    to: '0812-3456-7890',
    type: 'image',
    image: { id: ids[kind] },
  }));
  expect((await ani.call('/v1/messages', { body: { messages: many } })).body).toMatchObject({
    accepted: 1,
    data: [{ status: 'accepted' }, { error: { code: 'media_unfit' } }],
  });
});

test('a file deleted before its message is sent fails the message, and its price is refunded', async ({
  openApp,
  db,
}) => {
  const ani = await callerOf(await openApp({ works: true }), db, { saldo: 1_000 });
  const { image: id } = await filesIn(ani, [['image', kue]]);
  const send_at = new Date(Date.now() + 3_000).toISOString();
  const message = { to: '0812-3456-7890', type: 'image', image: { id }, send_at };
  const { body: sent } = await ani.call('/v1/messages', { body: message });
  expect((await ani.call(`/v1/media/${id}`, { method: 'DELETE' })).status).toBe(204);
  await waitFor(async () => {
    const { body } = await ani.call(`/v1/messages/${sent.id}`);
    expect([body.status, body.failure?.code]).toEqual(['failed', 'media_unreachable']);
  });
  expect((await ani.call('/v1/balance')).body).toEqual({ available: 1_000, held: 0 });
});

test('a repeated key gets the first answer and stores no second file', async ({ ani, db }) => {
  const key = { 'idempotency-key': 'kue-1' };
  const parts: Parts = [['file', kue]];
  const [one, two] = await Promise.all([upload(ani, parts, key), upload(ani, parts, key)]);
  expect([one.status, two.status]).toEqual([201, 201]);
  expect(two.text).toBe(one.text);
  const third = await upload(ani, parts, key);
  expect(third.text).toBe(one.text);
  const said = [one, two, third].map(({ headers }) => headers['idempotent-replayed']);
  expect(said.filter((value) => value === 'true')).toHaveLength(2);
  expect(await db.allAccountsSql`select from media_library`).toHaveLength(1);

  for (const other of [
    [['file', { ...kue, bytes: await picture('png') }]],
    [
      ['file', kue],
      ['name', 'lain'],
    ],
    [['file', { ...kue, type: 'application/octet-stream' }]],
  ] as Parts[]) {
    expect(await upload(ani, other, key)).toMatchObject({
      status: 409,
      body: { code: 'idempotency_conflict' },
    });
  }
  // A refusal is not stored, so the same key works with a correct request.
  const fresh = { 'idempotency-key': 'kue-2' };
  const html: NamedFile = { name: 'kue.png', type: 'image/png', bytes: '<html>' };
  expect((await upload(ani, [['file', html]], fresh)).body.code).toBe('upload_contradicts');
  expect((await upload(ani, parts, fresh)).status).toBe(201);
  const wrong = await upload(ani, parts, { 'idempotency-key': 'a b' });
  expect(wrong.body.fields).toHaveProperty('Idempotency-Key');
});

test('a form without exactly one file is refused with a sentence, and not stored', async ({
  ani,
  running,
  db,
}) => {
  const refused = async (parts: Parts) => {
    const { status, body } = await upload(ani, parts, inEnglish);
    return [status, body.code, body.fields ?? body.detail];
  };
  expect(await refused([])).toEqual([
    422,
    'upload_empty',
    'The file is empty, or the form has no part `file`.',
  ]);
  expect((await refused([['file', { ...kue, bytes: '' }]]))[1]).toBe('upload_empty');
  expect(await refused([['file', 'kue.png']])).toEqual([
    422,
    'input_invalid',
    { file: 'Expected a file, with a `filename`.' },
  ]);
  for (const parts of [
    [
      ['caption', 'x'],
      ['file', kue],
    ],
    [
      ['file', kue],
      ['caption', 'x'],
    ],
    [['caption', kue]],
  ] as Parts[]) {
    expect(await refused(parts)).toEqual([
      422,
      'input_invalid',
      { caption: 'This field is not known. Known here: file, name.' },
    ]);
  }
  expect(
    await refused([
      ['file', kue],
      ['file', kue],
    ]),
  ).toEqual([400, 'request_malformed', 'The request cannot be read: one request takes one file.']);
  for (const name of ['', ' ', 'x'.repeat(201), 'a\0b']) {
    expect(
      (
        await refused([
          ['name', name],
          ['file', kue],
        ])
      )[2],
    ).toHaveProperty('name');
  }
  for (const [what, { type, body }] of brokenMultiparts('file')) {
    const answer = await ani.call('/v1/media', { body, headers: { 'content-type': type } });
    expect([400, 415, 422], what).toContain(answer.status);
    expect(answer.body.code, what).toMatch(/^(request_malformed|input_invalid|upload_\w+)$/);
  }
  for (const body of [{ file: 'x' }, Buffer.from('x')]) {
    const answer = await ani.call('/v1/media', { body });
    expect(answer).toMatchObject({ status: 415, body: { code: 'media_type_unsupported' } });
  }
  expect((await ani.call('/v1/media', { method: 'POST' })).status).toBe(415);
  // Other endpoints accept no form.
  const { headers, body } = fileForm([['file', kue]]);
  expect((await ani.call('/v1/messages', { body, headers })).status).toBe(415);
  expect(await db.allAccountsSql`select from files`).toEqual([]);
  expect(running.lines.filter((line) => /"level":"(?:error|fatal)"/.test(line))).toEqual([]);
});

test('the files of an account have a common limit, and each file its own', async ({
  openApp,
  db,
}) => {
  const running = await openApp({ env: { FILES_PER_ACCOUNT_MB: '1' } });
  const ani = await callerOf(running, db);
  const pdf = (seed: number): NamedFile => ({ name: 'a.pdf', bytes: pdfOf(600_000, seed) });
  expect((await upload(ani, [['file', pdf(1)]])).status).toBe(201);
  expect(await upload(ani, [['file', pdf(2)]])).toMatchObject({
    status: 409,
    body: { code: 'storage_full' },
  });
  const jpeg = Buffer.concat([Buffer.from('\xff\xd8\xff\xe0', 'latin1'), noise(5_000_001)]);
  const large = await upload(ani, [['file', { name: 'a.jpg', bytes: jpeg }]]);
  expect(large).toMatchObject({ status: 413, body: { code: 'upload_too_large' } });
  const announced = await ani.call('/v1/media', {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=x', 'content-length': '200000000' },
  });
  expect(announced).toMatchObject({ status: 413, body: { code: 'upload_too_large' } });
});

test('the file of a scheduled message is retained until it is sent', async ({ ani }) => {
  const { body } = await upload(ani, [['file', kue]]);
  const sendAt = new Date(Date.parse(body.expires_at) + 30 * 86_400_000).toISOString();
  const message = { to: '6281200000001', type: 'image', image: { id: body.id } };
  expect((await ani.call('/v1/messages', { body: message })).status).toBe(202);
  expect((await ani.call(`/v1/media/${body.id}`)).body.expires_at).toBe(body.expires_at);
  const planned = { ...message, send_at: sendAt };
  expect((await ani.call('/v1/messages', { body: planned })).status).toBe(202);
  const kept = (await ani.call(`/v1/media/${body.id}`)).body.expires_at;
  expect(Date.parse(kept)).toBeGreaterThan(Date.parse(sendAt) + 86_400_000);
});
