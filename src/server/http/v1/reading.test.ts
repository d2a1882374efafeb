import sharp from 'sharp';
import { expect } from 'vitest';
import { retrySentence, waitSentence } from '#contract/messages/failures.ts';
import { uuidOf } from '#contract/base/ids.ts';
import { ApiMessage } from '#contract/rest/messages.ts';
import { claimDue } from '#tests/support/app/fake-channel.ts';
import { type Caller, callerOf, halo, inEnglish, test } from '#tests/support/app/api-caller.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import type { RunningApp } from '#tests/support/app/running-app.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { storeMessages } from '#tests/support/people/stored-messages.ts';
import { nextEpoch } from '#tests/support/app/lanes.ts';

const oneOf = ({ call }: Caller, id: string, headers = {}) =>
  call(`/v1/messages/${id}`, { headers });

test('a message shows its scheduled time and its expiry', async ({ ani }) => {
  const send_at = new Date(Math.ceil(Date.now() / 1000) * 1000 + 3_600_000).toISOString();
  const sent = async (extra: object) =>
    (await ani.call('/v1/messages', { body: { ...halo, ...extra } })).body.id as string;
  const ids = {
    planned: await sent({ send_at, ttl: 120 }),
    short: await sent({ ttl: 90 }),
    plain: await sent({}),
  };
  expect((await oneOf(ani, ids.planned)).body).toMatchObject({ send_at, ttl: 120 });
  expect((await oneOf(ani, ids.short)).body).toMatchObject({ send_at: null, ttl: 90 });
  expect((await oneOf(ani, ids.plain)).body).toMatchObject({ send_at: null, ttl: null });
  const { data } = (await ani.call('/v1/messages')).body;
  expect(data.map(({ send_at: at, ttl }: ApiMessage) => [at, ttl])).toEqual([
    [null, null],
    [null, 90],
    [send_at, 120],
  ]);
  const { timeline } = (await oneOf(ani, ids.planned, inEnglish)).body;
  expect(timeline[1].detail).toMatch(/^For \d+ \w+ \d{4}, \d\d:\d\d WIB$/);
});

/** As a lane does: a try that failed for now, or that got no answer. */
async function tryInVain(
  { allAccountsSql, owner }: TestDatabase,
  { accountId, tokenId }: Caller,
  try_: { id: string; state: 'ready' | 'unknown'; detail: string },
): Promise<void> {
  const uuid = uuidOf('message', try_.id) ?? '';
  const epoch = await nextEpoch(owner, { tokenId });
  await claimDue(allAccountsSql, { accountId, tokenId }, { epoch, limit: 1 });
  await allAccountsSql`select postpone_dispatch(${accountId}, ${tokenId}, ${epoch}, ${[uuid]}::uuid[],
    ${[try_.state]}::text[], ${[60_000]}::int[], ${[try_.detail]}::text[])`;
}

test('while a failed try will be retried, the message says that no action is needed', async ({
  ani,
  db,
}) => {
  const { id } = (await ani.call('/v1/messages', { body: halo })).body;
  expect((await oneOf(ani, id)).body.retrying).toBe(null);
  await tryInVain(db, ani, { id, state: 'ready', detail: 'rate_limited' });

  for (const [headers, language] of [[{}, 'id'] as const, [inEnglish, 'en'] as const]) {
    const detail = retrySentence('rate_limited', language);
    const { body } = await oneOf(ani, id, headers);
    expect(ApiMessage().safeParse(body).error).toBeUndefined();
    expect(body).toMatchObject({
      status: 'queued',
      failure: null,
      retrying: { code: 'rate_limited', detail, tries: 1, next_try_at: expect.any(String) },
    });
    const waitsMs = Date.parse(body.retrying.next_try_at) - Date.now();
    expect(waitsMs).toBeGreaterThan(0);
    expect(waitsMs).toBeLessThanOrEqual(60_000);
    expect(body.timeline.at(-1)).toMatchObject({ kind: 'retrying', detail });
    const list = await ani.call('/v1/messages', { headers });
    expect(list.body.data[0].retrying).toEqual(body.retrying);
  }
  expect(retrySentence('rate_limited', 'en')).toMatch(/nothing need be done\.$/);
  expect(retrySentence('rate_limited', 'id')).toMatch(/tidak ada yang perlu Anda lakukan\.$/);
  expect(retrySentence('rate_limited', 'id')).not.toMatch(/Kirim ulang/);
});

test('a message that waits for another access token says that its owner must enter it', () => {
  expect(retrySentence('network_access', 'en')).toMatch(/If the access token is still valid/);
  expect(retrySentence('network_access', 'id')).toMatch(/Bila token aksesnya masih berlaku/);
  expect(retrySentence('network_access', 'id')).not.toMatch(/tidak ada yang perlu/);
});

test('a message whose try got no answer says that we wait, and that no action is needed', async ({
  ani,
  db,
}) => {
  const { id } = (await ani.call('/v1/messages', { body: halo })).body;
  await tryInVain(db, ani, { id, state: 'unknown', detail: 'no_answer' });
  const { body } = await oneOf(ani, id, inEnglish);
  const detail = waitSentence('en');
  expect(body.retrying).toMatchObject({ code: 'no_answer', detail, tries: 1 });
  expect(body.timeline.at(-2)).toMatchObject({ kind: 'unknown', detail });
  expect(detail).toMatch(/nothing need be done\.$/);
});

test('a permanent failure is not retried, and is described in both languages', async ({
  db,
  openApp,
}) => {
  const container = await openApp({ works: true });
  const ani = await callerOf(container, db, { saldo: 1000 });
  const body = { ...halo, to: '62800000005' };
  const { id } = (await ani.call('/v1/messages', { body })).body;
  await waitFor(async () => expect((await oneOf(ani, id)).body.status).toBe('failed'));
  const [id_, en] = [(await oneOf(ani, id)).body, (await oneOf(ani, id, inEnglish)).body];
  expect([id_.retrying, en.retrying]).toEqual([null, null]);
  expect(id_.failure.detail).toMatch(/^Jaringan menolak karena terlalu cepat\. Kirim ulang/);
  expect(en.failure.detail).toMatch(/^The network refused because it was too fast\. Send again/);
  const last = (shown: ApiMessage) => shown.timeline?.at(-1)?.detail;
  expect([last(id_), last(en)]).toEqual([id_.failure.detail, en.failure.detail]);
});

async function pictureOf(running: RunningApp, db: TestDatabase) {
  const ani = await callerOf(running, db);
  const { accountId, tokenId } = ani;
  const create = { width: 8, height: 8, channels: 3, background: '#0f766e' } as const;
  const bytes = await sharp({ create }).png().toBuffer();
  const { fileId } = await running.container.media.files.save({ accountId, name: 'a.png', bytes });
  const stored = {
    at: new Date(),
    tokenId,
    direction: 'in',
    type: 'image',
    body: { file: fileId, mime: 'image/png', caption: 'Bukti' },
  } as const;
  await storeMessages(db.owner, accountId, [stored]);
  const headers = { host: 'kabari.example:3000' };
  const { data } = (await ani.call('/v1/messages', { headers })).body;
  return { content: data[0].content, one: await oneOf(ani, data[0].id, headers) };
}

test('an incoming image has an absolute address that opens it, and its expiry', async ({
  db,
  openApp,
}) => {
  const PUBLIC_URL = 'http://kabari.example';
  const MEDIA_ORIGIN = 'http://berkas.example';
  const cases: [Record<string, string>, string][] = [
    [{}, 'http://kabari.example:3000'],
    [{ PUBLIC_URL }, PUBLIC_URL],
  ];
  for (const [env, origin] of cases) {
    const running = await openApp({ env });
    const { content, one } = await pictureOf(running, db);
    const { origin: shown, pathname, search } = new URL(content.link);
    expect(shown).toBe(origin);
    const file = await running.app.inject({ url: pathname + search });
    expect([file.statusCode, file.headers['content-type']]).toEqual([200, 'image/png']);
    const livesMs = Date.parse(content.expires_at) - Date.now();
    expect(livesMs).toBeGreaterThan(3_500_000);
    expect(livesMs).toBeLessThanOrEqual(7_200_000);
    expect(one.body.content).toEqual(content);
    expect(content).toMatchObject({
      caption: 'Bukti',
      file: { mime_type: 'image/png', url: content.link },
    });
  }
  const apart = await openApp({ env: { PUBLIC_URL, MEDIA_ORIGIN } });
  const { content } = await pictureOf(apart, db);
  // On a host other than the files', the API answers, and its links lead to the files' host.
  expect(new URL(content.link).origin).toBe(MEDIA_ORIGIN);
});
