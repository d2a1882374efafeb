import { expect, onTestFinished, vi } from 'vitest';
import type { Person } from '#server/infra/acts.ts';
import { openLog } from '#server/infra/observability/log.ts';
import { openServer } from '#server/http/server.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { type RunningApp, signedIn, test } from '#tests/support/app/running-app.ts';
import { openStreams } from '#server/http/live.ts';

async function listening(running: RunningApp) {
  const address = await running.app.listen({ port: 0, host: '127.0.0.1' });
  return { ...running, address };
}

async function stream(address: string, fields: Record<string, string>) {
  const end = new AbortController();
  onTestFinished(() => end.abort());
  const response = await fetch(`${address}/api`, {
    method: 'POST',
    body: new URLSearchParams({ act: 'events', fcm: '', ...fields }),
    signal: end.signal,
  });
  const heard = { text: '', ended: false, failed: false };
  void (async () => {
    try {
      const decoder = new TextDecoder();
      for await (const bytes of response.body ?? [])
        heard.text += decoder.decode(bytes, { stream: true });
    } catch {
      // Aborted by the test, or cut off.
      heard.failed = true;
    }
    heard.ended = true;
  })();
  return { response, heard, end };
}

test('an open tab receives a change at once, with its position', async ({ db, openApp }) => {
  const { address, container } = await listening(await openApp({ works: true }));
  const ani = await signedIn(db, { saldo: 1_000 });
  const { response, heard } = await stream(address, { token: ani.token, since: '0' });
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  await waitFor(() => expect(heard.text).toContain('event: saldo.changed'));
  expect(heard.text).toMatch(
    /^id: 1\nevent: saldo\.changed\ndata: \{"kind":"saldo\.changed","available":1000,"held":0\}\n\n/,
  );
  expect(container.events.hub.following).toBe(1);
});

test('the stream requires a session', async ({ openApp }) => {
  const { address } = await listening(await openApp());
  const { response } = await stream(address, { token: '' });
  expect(response.status).toBe(401);
});

test('a stream ends within five seconds of its session', async ({ db, openApp }) => {
  const { address, ask, container } = await listening(await openApp());
  const [ani, budi] = [await signedIn(db), await signedIn(db)];
  const hears = await stream(address, { token: ani.token });
  const other = await stream(address, { token: budi.token });
  await waitFor(() => expect(container.events.hub.following).toBe(2));
  await ask('user_logout', { token: ani.token });
  await waitFor(() => expect(hears.heard.ended).toBe(true));
  expect(other.heard.ended).toBe(false);
});

test('a stream that opens during the session check continues', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { promise, resolve } = Promise.withResolvers<ReadonlySet<string>>();
  const asked: string[] = [];
  const streams = openStreams({
    alive: (sessions) => (asked.push(...sessions), promise),
    report: () => undefined,
  });
  const log = openLog({ level: 'silent' });
  const config = { TRUSTED_PROXIES: [], SIMULATOR: false, production: false };
  const app = openServer({ config, log, delayMsMax: 0 });
  onTestFinished(() => (streams.close(), app.close()));
  const frames = () => ({ resume: () => undefined, cancel: () => undefined });
  app.post('/api', async (request, reply) => {
    const sessionId = new URLSearchParams(String(request.body)).get('token') ?? '';
    const person: Person = {
      kind: 'person',
      accountId: '',
      userId: '',
      sessionId,
      role: 'customer',
      operatorRoles: [],
    };
    streams.open(reply, { frames, person });
    return reply;
  });
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  const [alive, ended] = [
    await stream(address, { token: 'alive' }),
    await stream(address, { token: 'ended' }),
  ];
  vi.advanceTimersByTime(2_000);
  expect(asked.toSorted()).toEqual(['alive', 'ended']);
  const late = await stream(address, { token: 'late' });
  resolve(new Set(['alive']));
  await waitFor(() => expect(ended.heard.ended).toBe(true));
  expect([alive.heard.ended, late.heard.ended]).toEqual([false, false]);
});

test('a closed tab leaves no stream behind', async ({ db, openApp }) => {
  const { address, container } = await listening(await openApp());
  const { end } = await stream(address, { token: (await signedIn(db)).token });
  await waitFor(() => expect(container.events.hub.following).toBe(1));
  end.abort();
  await waitFor(() => expect(container.events.hub.following).toBe(0));
});

test('the streams of one person are limited', async ({ db, openApp }) => {
  const { address } = await listening(await openApp());
  const { token } = await signedIn(db);
  const opened = await Promise.all(Array.from({ length: 35 }, () => stream(address, { token })));
  const statuses = opened.map(({ response }) => response.status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(30);
  expect(statuses.filter((status) => status === 429)).toHaveLength(5);
});

test('an ended stream makes room for another of the same person', async ({ db, openApp }) => {
  const { address, container } = await listening(await openApp());
  const { token } = await signedIn(db);
  const opened = await Promise.all(Array.from({ length: 30 }, () => stream(address, { token })));
  expect((await stream(address, { token })).response.status).toBe(429);
  opened[0]?.end.abort();
  await waitFor(() => expect(container.events.hub.following).toBe(29));
  expect((await stream(address, { token })).response.status).toBe(200);
});

test('a comment every 15 seconds keeps the connection alive', async ({ db, openApp }) => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { address } = await listening(await openApp());
  const { heard } = await stream(address, { token: (await signedIn(db)).token });
  await waitFor(() => expect(heard.text).toContain('event: reset'));
  vi.advanceTimersByTime(14_999);
  expect(heard.text).not.toContain(':\n\n');
  vi.advanceTimersByTime(1);
  await waitFor(() => expect(heard.text.endsWith('\n\n:\n\n')).toBe(true));
});

test('streams end cleanly when the application closes', async ({ db, openApp }) => {
  const running = await listening(await openApp());
  const { heard } = await stream(running.address, { token: (await signedIn(db)).token });
  await waitFor(() => expect(heard.text).toContain('event: reset'));
  running.closeStreams();
  await waitFor(() => expect(heard).toMatchObject({ ended: true, failed: false }));
});
