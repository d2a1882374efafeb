import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'vitest';
import type { MediaKind } from '#contract/media.ts';
import { openFileClient } from '#server/infra/net/outbound-file.ts';
import { test } from '#tests/support/app/media-library.ts';
import { movingPicture, picture } from '#tests/support/app/uploads-app.ts';
import { customerWith } from '#tests/support/people/people.ts';
import { privateHosts } from '#tests/support/private-hosts.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { claimFetches, endFetch, type Library } from './library.ts';

function ended(library: Library, accountId: string, link: string, kind: MediaKind = 'image') {
  return waitFor(async () => {
    const state = await library.stateOf({ accountId, link, kind });
    expect(state.state).not.toBe('waiting');
    return state;
  });
}

test('fetches a link once for all messages that name it, and stores it as a file', async ({
  sql,
  openTestLibrary,
  hostFiles,
}) => {
  const { accountId } = await customerWith(sql);
  const webp = await picture('webp');
  const host = await hostFiles((_request, response) => {
    response.writeHead(200, { 'content-type': 'image/webp' }).end(webp);
  });
  const { library, files, fetching } = await openTestLibrary({ listed: [host.origin] });
  // An address may have any ending: the type that its host declares takes precedence.
  const link = `${host.origin}/foto.jpg?v=2`;
  const query = { accountId, link, kind: 'image' as const };
  const asked = await Promise.all([1, 2, 3].map(() => library.stateOf(query)));
  expect(new Set(asked.map((one) => one.state === 'waiting' && one.fetchId)).size).toBe(1);
  fetching();
  const done = await ended(library, accountId, link);
  expect(done).toMatchObject({ state: 'done', file: { name: 'foto.webp', mime: 'image/webp' } });
  expect(host.asked).toEqual(['/foto.jpg?v=2']);
  if (done.state !== 'done') throw new Error('not done');
  expect((await files.read(accountId, done.file.fileId))?.sizeBytes).toBeGreaterThan(0);
  const budi = await customerWith(sql);
  expect(await library.stateOf({ ...query, accountId: budi.accountId })).toMatchObject({
    state: 'waiting',
  });
});

test('refuses a link into our own network without a request, in every spelling', async ({
  sql,
  openTestLibrary,
}) => {
  const { accountId } = await customerWith(sql);
  let visits = 0;
  const canary = createServer((socket) => {
    visits += 1;
    socket.destroy();
  });
  canary.listen(0, '::');
  await once(canary, 'listening');
  const { port } = canary.address() as AddressInfo;
  const client = openFileClient({
    listed: [],
    ports: [port],
    // Every name resolves to this machine.
    resolve: (_name, _how, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
  });
  const { library, fetching } = await openTestLibrary({ client });
  fetching();
  const links = [...privateHosts, 'rebinding.example'].map(
    (host) => `http://${host}:${port}/a.png`,
  );
  const states = await Promise.all(links.map((link) => ended(library, accountId, link)));
  expect(states).toEqual(links.map(() => ({ state: 'failed', failure: 'media_refused' })));
  expect(visits).toBe(0);
  canary.close();
});

test('fails the link with a reason when the host returns a bad file', async ({
  sql,
  openTestLibrary,
  hostFiles,
}) => {
  const { accountId } = await customerWith(sql);
  const bodies: Record<string, [string, Buffer | string]> = {
    '/page.png': ['text/html', '<html><script>x()</script>'],
    '/lie.png': ['image/png', '<svg onload="x()"/>'],
    '/bomb.png': ['image/png', await picture('png', { width: 8_000, height: 6_000 })],
    '/moving.webp': ['image/webp', await movingPicture(12)],
    '/heavy.png': ['image/png', Buffer.alloc(5_000_001)],
    '/other.pdf': ['application/pdf', '%PDF-1.4\n%%EOF\n'],
    '/empty.png': ['image/png', ''],
  };
  const host = await hostFiles((request, response) => {
    const [type, body] = bodies[request.url ?? ''] ?? [];
    if (type === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': type }).end(body);
  });
  const { library, fetching, folder: _ } = await openTestLibrary({ listed: [host.origin] });
  fetching();
  const of = async (path: string) => {
    const state = await ended(library, accountId, host.origin + path);
    return state.state === 'failed' ? state.failure : state.state;
  };
  for (const path of Object.keys(bodies))
    expect([path, await of(path)]).toEqual([path, 'media_refused']);
  expect(await of('/gone.png')).toBe('media_unreachable');
  expect(await sql`select * from files`).toEqual([]);
});

test('retries a failing host, and takes over the fetch of a dead worker', async ({
  sql,
  openTestLibrary,
  hostFiles,
}) => {
  const { accountId } = await customerWith(sql);
  const png = await picture('png');
  let answers = 0;
  const host = await hostFiles((_request, response) => {
    answers += 1;
    if (answers === 1) response.writeHead(503).end();
    else response.writeHead(200).end(png);
  });
  const { library, fetching, ended: told } = await openTestLibrary({ listed: [host.origin] });
  const link = `${host.origin}/a.png`;
  await library.stateOf({ accountId, link, kind: 'image' });
  // A worker claims it and dies: its lease expires by the database's clock.
  const [dead] = await claimFetches(sql, 10);
  expect(dead).toMatchObject({ link, tries: 1 });
  fetching();
  expect(await claimFetches(sql, 10)).toEqual([]);
  await sql`update media_fetches set lease_until = clock_timestamp() - interval '1 second'`;
  await waitFor(async () => {
    // The retry postponed after the 503 is due at once.
    await sql`update media_fetches set due_at = clock_timestamp() where lease_until is null`;
    expect(answers).toBeGreaterThan(1);
  });
  expect(await ended(library, accountId, link)).toMatchObject({ state: 'done' });
  await waitFor(async () => expect(told).toEqual([dead?.fetchId]));
  // The dead worker comes back: its result is ignored.
  if (!dead) throw new Error('not claimed');
  expect(await endFetch(sql, dead, { failure: 'media_unreachable' })).toBe(false);
});

test('fetches a failed link again after a minute, and a stored one after ten', async ({
  sql,
  openTestLibrary,
  hostFiles,
}) => {
  const { accountId } = await customerWith(sql);
  const png = await picture('png');
  const host = await hostFiles((_request, response) => {
    if (host.asked.length === 1) response.writeHead(404).end();
    else response.writeHead(200).end(png);
  });
  const { library, fetching } = await openTestLibrary({ listed: [host.origin] });
  fetching();
  const link = `${host.origin}/a.png`;
  const later = (minutes: number) => sql`
    update media_fetches set ended_at = ended_at - make_interval(mins => ${minutes})`;
  expect(await ended(library, accountId, link)).toMatchObject({ state: 'failed' });
  expect(await ended(library, accountId, link)).toMatchObject({ state: 'failed' });
  await later(1);
  const first = await ended(library, accountId, link);
  expect(first).toMatchObject({ state: 'done' });
  await later(9);
  expect(await ended(library, accountId, link)).toMatchObject({ state: 'done' });
  expect(host.asked).toHaveLength(2);
  await later(2);
  await ended(library, accountId, link);
  expect(host.asked).toHaveLength(3);
  const [{ file_id: fileId } = { file_id: '' }] = await sql<{ file_id: string }[]>`
    select file_id from media_fetches`;
  await library.remove(accountId, fileId);
  expect(await ended(library, accountId, link)).toMatchObject({ state: 'done' });
  expect(host.asked).toHaveLength(4);
});

test('delays only the links of one account when its host hangs, and releases them on close', async ({
  sql,
  openTestLibrary,
  hostFiles,
}) => {
  const ani = await customerWith(sql);
  const budi = await customerWith(sql);
  const png = await picture('png');
  const host = await hostFiles((request, response) => {
    if (!request.url?.startsWith('/hangs')) response.writeHead(200).end(png);
  });
  const { library, fetching } = await openTestLibrary({ listed: [host.origin] });
  for (let n = 0; n < 30; n++) {
    const link = `${host.origin}/hangs-${n}`;
    await library.stateOf({ accountId: ani.accountId, link, kind: 'image' });
  }
  const fetcher = fetching();
  await waitFor(async () => expect(host.asked).toHaveLength(4));
  const other = await ended(library, budi.accountId, `${host.origin}/a.png`);
  expect(other).toMatchObject({ state: 'done' });
  await fetcher.close();
  const held = await sql`select from media_fetches where lease_until is not null or tries > 0
    and state = 'waiting'`;
  expect(held).toHaveLength(0);
});

test('leaves no second file when a worker loses its fetch; a new fetch creates another file', async ({
  db,
  sql,
  openTestLibrary,
  hostFiles,
}) => {
  const { accountId } = await customerWith(sql);
  const pictures = [await picture('png'), await picture('png', { width: 40, height: 30 })];
  let given = 0;
  const host = await hostFiles((_request, response) =>
    response.writeHead(200).end(pictures[given]),
  );
  const { library, fetching } = await openTestLibrary({ listed: [host.origin] });
  const link = `${host.origin}/a.png`;
  // The worker loses its fetch before the file is stored: another worker claims it.
  await db.owner`create function lose() returns trigger
    language plpgsql security definer as $$ begin
    update media_fetches set tries = tries + 1, lease_until = clock_timestamp() - interval '1 second'
      where tries < 3;
    return null;
  end $$`;
  await db.owner`create trigger lose after insert on media_library execute function lose()`;
  fetching();
  const first = await ended(library, accountId, link);
  expect(host.asked.length).toBeGreaterThan(1);
  const files = () => sql`select file_id from media_library`;
  expect(await files()).toHaveLength(1);
  await db.owner`drop trigger lose on media_library`;
  await sql`update media_fetches set ended_at = ended_at - interval '11 minutes'`;
  given = 1;
  const second = await ended(library, accountId, link);
  if (first.state !== 'done' || second.state !== 'done') throw new Error('not done');
  expect(second.file.sha256).not.toEqual(first.file.sha256);
  expect(await files()).toHaveLength(2);
});
