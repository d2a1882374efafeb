import { expect } from 'vitest';
import { messageId } from '#server/http/dialects/wablas/wablas.ts';
import { callerOf } from './support/app/api-caller.ts';
import { pdfOf, picture } from './support/app/uploads-app.ts';
import type { RunningApp } from './support/app/running-app.ts';
import { type CloudApp, test as base } from './support/dialects/cloud-app.ts';
import { type NamedFile, fileForm } from './support/hostile/file-form.ts';
import {
  badNames,
  bombs,
  isServedSafely,
  polyglots,
  disguises,
} from './support/hostile/hostile-files.ts';
import { changeTokens } from '#tests/support/people/people.ts';

type Outcome = { url: string } | { code: string; sentence: string };
type UploadCall = (cloud: CloudApp, file: NamedFile) => Promise<Outcome>;

const to = '6281234567890';

async function post(
  { origin, key }: CloudApp,
  path: string,
  parts: Parameters<typeof fileForm>[0],
) {
  const form = fileForm(parts);
  const isDialect = !path.startsWith('/v');
  const response = await fetch(origin + path, {
    method: 'POST',
    headers: { ...form.headers, authorization: isDialect ? key : `Bearer ${key}` },
    body: new Uint8Array(form.body),
  });
  // oxlint-disable-next-line no-explicit-any -- each call answers in a shape of its own.
  return { response, body: (await response.json()) as any };
}

const sentFile = async ({ call }: CloudApp, id: string): Promise<Outcome> => {
  const { body } = await call(`/v1/messages/${id}`);
  return { url: body.content.file.url };
};

const uploadCalls: Record<string, UploadCall> = {
  'POST /v1/media': async (cloud, file) => {
    const { response, body } = await post(cloud, '/v1/media', [['file', file]]);
    return response.status === 201 ? body : { code: body.code, sentence: body.detail };
  },
  'the media of the Cloud API': async (cloud, file) => {
    const { response, body } = await post(cloud, `/v23.0/${cloud.numberId}/media`, [
      ['messaging_product', 'whatsapp'],
      ['file', file],
    ]);
    if (response.status === 200) return (await cloud.call(`/v1/media/${body.id}`)).body;
    const code = response.headers.get('x-error-code') ?? '';
    return { code, sentence: body.error.error_user_msg };
  },
  'file of Fonnte': async (cloud, file) => {
    const { response, body } = await post(cloud, '/send', [
      ['target', to],
      ['file', file],
    ]);
    if (body.status === true) return sentFile(cloud, body.id[0]);
    return { code: response.headers.get('x-kabari-error') ?? '', sentence: body.reason };
  },
  'local files of Wablas': async (cloud, file) => {
    const { response, body } = await post(cloud, '/api/send-document-from-local', [
      ['phone', to],
      ['file', file],
    ]);
    if (body.status === true) return sentFile(cloud, messageId(body.data.messages[0].id));
    return { code: response.headers.get('x-kabari-error') ?? '', sentence: body.message };
  },
};

/** A server and a customer without rate limits. */
const test = base.extend<{ running: RunningApp; cloud: CloudApp }>({
  running: async ({ openApp }, use) => use(await openApp({ env: { RATE_API_PER_SECOND: '1000' } })),
  cloud: async ({ cloud, db }, use) => {
    await changeTokens(db.allAccountsSql, {}, { dailyLimit: 10000 });
    await use(cloud);
  },
});

/** One token sends at most six bodies at once. */
const AT_ONCE = 4;

async function each<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < all.length; at += AT_ONCE) {
    await Promise.all(all.slice(at, at + AT_ONCE).map(work));
  }
}

const reasons =
  /^(upload_(kind_refused|contradicts|unsafe|too_large|empty)|input_invalid|request_malformed)$/;

for (const [name, upload] of Object.entries(uploadCalls)) {
  test(`serves no hostile file through ${name} as executable content, and refuses with a sentence`, async ({
    cloud,
    running,
    db,
  }) => {
    const hostile = [...(await polyglots()), ...disguises(), ...(await badNames())];
    const troubled: string[] = [];
    let accepted = 0;
    await each(hostile, async (file) => {
      const shown = `${JSON.stringify(file.name)} as ${file.type}`;
      const outcome = await upload(cloud, file);
      if ('url' in outcome) {
        accepted += 1;
        const { pathname, search } = new URL(outcome.url);
        const isSafe = await isServedSafely(await fetch(cloud.origin + pathname + search));
        if (!isSafe) troubled.push(shown);
      } else if (!reasons.test(outcome.code) || outcome.sentence.length < 5) {
        troubled.push(`${shown}: ${outcome.code} ${outcome.sentence}`);
      }
    });
    expect(troubled).toEqual([]);
    expect(accepted).toBeGreaterThan(10);
    expect(accepted).toBeLessThan(hostile.length / 2);
    for (const file of await bombs()) {
      expect(await upload(cloud, file), file.name).toMatchObject({
        code: expect.stringMatching(/^upload_(unsafe|too_large)$/),
      });
    }
    const files = await db.allAccountsSql`select from media_library`;
    expect(files).toHaveLength(accepted);
    expect(running.lines.filter((line) => /"level":"(?:error|fatal)"/.test(line))).toEqual([]);
  });
}

test('sends a file in the body of Fonnte by its type, under its own or the given name', async ({
  cloud,
}) => {
  const png: NamedFile = { name: 'kue.png', type: 'image/png', bytes: await picture('png') };
  const pdf: NamedFile = { name: 'menu.pdf', type: 'application/pdf', bytes: pdfOf(900) };
  const sent = async (...parts: Parameters<typeof fileForm>[0]) => {
    const { body } = await post(cloud, '/send', [['target', to], ...parts]);
    expect(body, JSON.stringify(body)).toMatchObject({ status: true, process: 'pending' });
    return (await cloud.call(`/v1/messages/${body.id[0]}`)).body;
  };
  expect(await sent(['file', png], ['message', 'Kue'])).toMatchObject({
    type: 'image',
    content: {
      caption: 'Kue',
      file: { id: expect.stringMatching(/^med_/), mime_type: 'image/png' },
    },
  });
  expect(await sent(['message', 'Menu'], ['file', pdf])).toMatchObject({
    type: 'document',
    content: { caption: 'Menu', filename: 'menu.pdf' },
  });
  expect((await sent(['file', pdf], ['filename', 'Menu baru.pdf'])).content.filename).toBe(
    'Menu baru.pdf',
  );
  const reasonOf = async (file: NamedFile) =>
    (
      await post(cloud, '/send', [
        ['target', to],
        ['file', file],
      ])
    ).body.reason;
  expect(await reasonOf({ name: 'a.exe', bytes: 'MZ\u0090\0\u0003' })).toBe(
    'file format not supported',
  );
  expect(await reasonOf({ ...pdf, bytes: pdfOf(4_000_001) })).toBe('file size must under 4MB');
});

test('sends local files of Wablas as the address says, or refuses in its words', async ({
  cloud,
}) => {
  const bytes = await picture('png');
  const sendImage = async (parts: Parameters<typeof fileForm>[0]) =>
    (await post(cloud, '/api/send-image-from-local', [['phone', to], ...parts])).body;
  const { data } = await sendImage([
    ['file', { name: 'kue.png', type: 'image/png', bytes }],
    ['caption', 'Kue'],
  ]);
  expect(data.messages).toMatchObject([{ phone: to, image: 'kue.png', status: 'pending' }]);
  const base64 = await sendImage([
    ['file', bytes.toString('base64')],
    ['data', JSON.stringify({ name: 'kue.png' })],
  ]);
  const id = messageId(base64.data.messages[0].id);
  expect((await cloud.call(`/v1/messages/${id}`)).body).toMatchObject({
    type: 'image',
    content: { file: { mime_type: 'image/png' } },
  });
  const pdf = { name: 'menu.pdf', type: 'application/pdf', bytes: pdfOf(900) };
  expect(await sendImage([['file', pdf]])).toEqual({
    status: false,
    message: 'file format is not supported',
  });
});

test('stores and sends a file of these calls once per key, and nothing for an account without files', async ({
  cloud,
  db,
  running,
}) => {
  const form = fileForm([
    ['target', to],
    ['file', { name: 'menu.pdf', bytes: pdfOf(900) }],
  ]);
  const send = async (key: string) => {
    const response = await fetch(`${cloud.origin}/send`, {
      method: 'POST',
      headers: { ...form.headers, authorization: key, 'idempotency-key': 'menu-1' },
      body: new Uint8Array(form.body),
    });
    return [
      response.headers.get('x-kabari-error'),
      ((await response.json()) as { id?: unknown }).id,
    ];
  };
  const first = await send(cloud.key);
  expect(await send(cloud.key)).toEqual(first);
  expect(await db.allAccountsSql`select from media_library`).toHaveLength(1);
  expect(await db.allAccountsSql`select from messages`).toHaveLength(1);

  const budi = await callerOf(running, db, { saldo: 1_000 });
  await changeTokens(db.allAccountsSql, budi, { scopes: ['messages.send'] });
  expect(await send(budi.key)).toEqual(['scope_missing', undefined]);
});
