import { createHash, randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { publicId, uuidOf } from '#contract/base/ids.ts';
import { type FileHost, fileHost } from '#tests/support/media/file-host.ts';
import { type Caller, callerOf } from '#tests/support/app/api-caller.ts';
import { type RunningApp, signedIn, test as base } from '#tests/support/app/running-app.ts';
import { picture } from '#tests/support/app/uploads-app.ts';
import { storeMessages } from '#tests/support/people/stored-messages.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { makeSession } from '#tests/support/people/people.ts';

type World = {
  running: RunningApp;
  ani: Caller;
  host: FileHost & {
    /** Answers `/slow…`, including waiting requests. */
    open: () => void;
  };
};

/** The whole application with a host of files, on which `/slow…` waits. */
const test = base.extend<World>({
  host: async ({ db: _ }, use) => {
    const png = await picture('png', { width: 900, height: 600 });
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    const host = await fileHost((request, response) => {
      const path = request.url ?? '';
      const answer = () => response.writeHead(200, { 'content-type': 'image/png' }).end(png);
      if (path.startsWith('/gone')) response.writeHead(404).end();
      else if (path.startsWith('/page')) response.writeHead(200).end('<html>');
      else if (path.startsWith('/slow')) void opened.then(answer);
      else answer();
    });
    await use({ ...host, open });
    open();
    host.close();
  },
  running: async ({ openApp, host }, use) =>
    use(await openApp({ works: true, env: { MEDIA_LISTED: host.origin } })),
  ani: async ({ running, db }, use) => use(await callerOf(running, db, { saldo: 1000 })),
});

const to = '0812-3456-7890';
const imageAt = (link: string, more: object = {}) => ({
  to,
  type: 'image',
  image: { link },
  ...more,
});
const sent = async ({ call }: Caller, body: object): Promise<string> => {
  const answer = await call('/v1/messages', { body });
  expect(answer.status).toBe(202);
  return answer.body.id;
};
const one = async ({ call }: Caller, id: string) => (await call(`/v1/messages/${id}`)).body;
const until = (ani: Caller, id: string, status: string) =>
  waitFor(async () => {
    const message = await one(ani, id);
    expect(message.status).toBe(status);
    return message;
  });
const available = async ({ call }: Caller) => (await call('/v1/balance')).body;

test('sends a picture by link as our own file, and shows it from our signed link', async ({
  ani,
  host,
  running,
  db,
}) => {
  const link = `${host.origin}/kue.png`;
  const id = await sent(ani, imageAt(link, { caption: 'Kue hari ini' }));
  const { content } = await until(ani, id, 'read');
  expect(content).toMatchObject({ caption: 'Kue hari ini', source: link });
  expect(content.link).toMatch(/^http:\/\/localhost.*\/files\/fil_/);
  const { body: media } = await ani.call(`/v1/media/${content.file.id}`);
  const { id: fileId, mime_type, size, sha256, width } = media;
  expect(content.file).toEqual({ id: fileId, mime_type, size, sha256, url: content.link });
  expect([mime_type, width]).toEqual(['image/png', 900]);
  const { pathname, search } = new URL(content.link);
  const file = await running.app.inject({ url: pathname + search });
  expect([file.statusCode, file.headers['content-type']]).toEqual([200, 'image/png']);
  expect(createHash('sha256').update(file.rawPayload).digest('hex')).toBe(sha256);
  const [line] = await db.allAccountsSql<{ body: Record<string, string> }[]>`
    select body from sim_lines where direction = 'in'`;
  expect(uuidOf('file', pathname.slice('/files/'.length))).toBe(line?.body['file']);
  expect(host.asked).toEqual(['/kue.png']);
});

test('fetches an image of another host on demand, stores it with its message, and only for its account', async ({
  running,
  host,
  db,
}) => {
  const [ani, budi] = [await signedIn(db), await signedIn(db)];
  const stored = async (body: object) => {
    const [message] = await storeMessages(db.owner, ani.accountId, [
      { at: new Date(), tokenId: ani.tokenId, type: 'image', status: 'failed', body: { ...body } },
    ]);
    return publicId('message', message?.id ?? '');
  };
  const load = async (token: string, message_id: string) =>
    (await running.ask('message_image_load', { token, message_id, key: randomUUID() })).body;
  const ended = (message_id: string) =>
    waitFor(async () => {
      const { data } = await load(ani.token, message_id);
      expect(data.state).not.toBe('waiting');
      return data;
    });
  const link = `${host.origin}/roti.png`;
  const id = await stored({ link, caption: 'Roti' });
  expect((await load(budi.token, id)).error.type).toBe('not_found');
  expect(host.asked).toEqual([]);

  const { state, content } = await ended(id);
  expect(state).toBe('ready');
  expect(content).toMatchObject({ type: 'png', caption: 'Roti', external: false });
  const image = await running.app.inject({ url: content.url });
  expect([image.statusCode, image.headers['content-type']]).toEqual([200, 'image/png']);
  const detail = await running.ask('message_get', { token: ani.token, message_id: id });
  expect(detail.body.data.content).toMatchObject({ external: false });
  expect((await ended(id)).state).toBe('ready');
  expect(host.asked).toEqual(['/roti.png']);

  for (const refused of ['/gone.png', '/page.png']) {
    const other = await stored({ link: host.origin + refused });
    expect(await ended(other)).toMatchObject({ state: 'failed', content: { external: true } });
  }
  // An internal address that no setting lists.
  const inside = await stored({ link: 'http://127.0.0.1:9/rahasia.png' });
  expect(await ended(inside)).toMatchObject({ state: 'failed' });
});

test('fetches the same link to many recipients once', async ({ ani, host }) => {
  const messages = Array.from({ length: 6 }, (_, n) => ({
    ...imageAt(`${host.origin}/slow.png`),
    to: `08123456780${n}`,
  }));
  const answer = await ani.call('/v1/messages', { body: { messages } });
  await waitFor(() => expect(host.asked).toEqual(['/slow.png']));
  host.open();
  for (const { id } of answer.body.data) await until(ani, id, 'read');
  expect(host.asked).toEqual(['/slow.png']);
});

test('holds only its own number while a link is fetched; the message says so, and can be cancelled', async ({
  ani,
  host,
}) => {
  const slow = await sent(ani, imageAt(`${host.origin}/slow-1.png`));
  const after = await sent(ani, { to, text: { body: 'Sesudahnya' } });
  const other = await sent(ani, { to: '081234567899', text: { body: 'Lain' } });
  const cancelled = await sent(ani, {
    ...imageAt(`${host.origin}/slow-2.png`),
    to: '081234567898',
  });
  await until(ani, other, 'read');
  await waitFor(async () => {
    const { timeline, retrying } = await one(ani, slow);
    expect(timeline.at(-1)).toMatchObject({
      kind: 'waiting',
      detail: expect.stringContaining('tautannya'),
    });
    expect(retrying).toBe(null);
  });
  expect((await one(ani, after)).status).toBe('queued');
  await waitFor(async () => {
    const answer = await ani.call(`/v1/messages/${cancelled}/cancel`, { method: 'POST' });
    expect(answer.status).toBe(200);
  });
  host.open();
  await until(ani, slow, 'read');
  await until(ani, after, 'read');
  expect((await one(ani, cancelled)).status).toBe('cancelled');
});

test.for([
  ['gone', 'media_unreachable', 'tidak dapat diambil'],
  ['page', 'media_refused', 'ditolak'],
] as const)(
  'a link that is %s fails its message, and the price is given back',
  async ([path, code, words], { ani, host }) => {
    const before = await available(ani);
    const id = await sent(ani, imageAt(`${host.origin}/${path}.png`));
    const { failure } = await until(ani, id, 'failed');
    expect(failure).toMatchObject({ code, detail: expect.stringContaining(words) });
    await waitFor(async () => expect(await available(ani)).toEqual(before));
  },
);

test('never calls a link into our own network, and fails its message', async ({
  openApp,
  db,
  host,
}) => {
  const running = await openApp({ works: true });
  const ani = await callerOf(running, db, { saldo: 1000 });
  const id = await sent(ani, imageAt(`${host.origin}/kue.png`));
  expect((await until(ani, id, 'failed')).failure.code).toBe('media_refused');
  expect(host.asked).toEqual([]);
});

test('shows messages sent by link by their type in the thread', async ({ running, db, host }) => {
  const caller = await callerOf(running, db, { saldo: 1000 });
  const id = await sent(caller, imageAt(`${host.origin}/kue.png`));
  await until(caller, id, 'read');
  const { token } = await makeSession(db.allAccountsSql, caller);
  const { body } = await running.ask('message_get', { token, message_id: id });
  expect(body.data.content).toMatchObject({ type: 'png', external: false, caption: '' });
  expect(body.data.content.url).toMatch(/^\/files\/fil_/);
});
