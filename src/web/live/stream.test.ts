import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Frame, followStream, reopenDelayMs } from './stream.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function aServer() {
  const lines: {
    since: number | undefined;
    say: (text: string) => void;
    disconnect: () => void;
  }[] = [];
  const frames: Frame[] = [];
  let position: number | undefined;
  let wake = () => undefined as void;
  let refuse: Error | undefined;
  const stop = new AbortController();
  const following = followStream({
    open: async (since, signal) => {
      if (refuse) throw refuse;
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const writer = writable.getWriter();
      const gone = () => void writer.abort(signal.reason).catch(() => undefined);
      signal.addEventListener('abort', gone, { once: true });
      lines.push({
        since,
        say: (text) => void writer.write(new TextEncoder().encode(text)).catch(() => undefined),
        disconnect: () => void writer.close().catch(() => undefined),
      });
      return new Response(readable);
    },
    since: () => position,
    onFrame: (frame) => {
      frames.push(frame);
      position = frame.position ?? position;
    },
    retryAfterMs: (error) => {
      const why = error instanceof Error ? error.message : '';
      return why === 'signed out' ? undefined : why === 'busy' ? 30_000 : 0;
    },
    onWake: (listener) => {
      wake = listener;
      return () => undefined;
    },
    signal: stop.signal,
  });
  return {
    lines,
    frames,
    following,
    stop: () => stop.abort(),
    wake: () => wake(),
    refuseWith: (error: Error | undefined) => (refuse = error),
  };
}

test('continues at its position after a disconnect', async () => {
  const server = aServer();
  await vi.advanceTimersByTimeAsync(0);
  server.lines[0]?.say('id: 41\nevent: reset\ndata: 41\n\nid: 42\ndata: {}\n\n');
  await vi.advanceTimersByTimeAsync(0);
  server.lines[0]?.disconnect();
  await vi.advanceTimersByTimeAsync(1_000);

  expect(server.frames.map(({ position }) => position)).toEqual([41, 42]);
  expect(server.lines.map(({ since }) => since)).toEqual([undefined, 42]);
  server.stop();
  await server.following;
});

test('reopens a connection silent for 40 seconds; comments count as activity', async () => {
  const server = aServer();
  await vi.advanceTimersByTimeAsync(0);
  for (let comment = 0; comment < 6; comment++) {
    server.lines[0]?.say(':\n\n');
    await vi.advanceTimersByTimeAsync(15_000);
  }
  expect(server.lines).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(42_000);
  expect(server.lines.length).toBeGreaterThan(1);
  server.stop();
  await server.following;
});

test('backs off from a server that is down, and retries at once on reconnect', async () => {
  const server = aServer();
  await vi.advanceTimersByTimeAsync(0);
  server.refuseWith(new Error('no network'));
  server.lines[0]?.disconnect();
  await vi.advanceTimersByTimeAsync(120_000);
  server.refuseWith(undefined);
  server.wake();
  await vi.advanceTimersByTimeAsync(10);
  expect(server.lines).toHaveLength(2);
  server.stop();
  await server.following;
});

test('respects the server’s retry delay, also on reconnect', async () => {
  const server = aServer();
  await vi.advanceTimersByTimeAsync(0);
  server.refuseWith(new Error('busy'));
  server.lines[0]?.disconnect();
  await vi.advanceTimersByTimeAsync(2_000);
  server.refuseWith(undefined);
  await vi.advanceTimersByTimeAsync(20_000);
  server.wake();
  await vi.advanceTimersByTimeAsync(7_000);
  expect(server.lines).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(server.lines).toHaveLength(2);
  server.stop();
  await server.following;
});

test('ends for good with the session', async () => {
  const server = aServer();
  await vi.advanceTimersByTimeAsync(0);
  server.refuseWith(new Error('signed out'));
  server.lines[0]?.disconnect();
  await vi.advanceTimersByTimeAsync(2_000);
  await server.following;
  expect(server.lines).toHaveLength(1);
});

test('doubles the reopen delay from half a second to half a minute', () => {
  expect([0, 1, 2, 9].map((tries) => reopenDelayMs(tries, 0.5))).toEqual([
    500, 1_000, 2_000, 30_000,
  ]);
  expect(reopenDelayMs(3, 0)).toBe(2_800);
});
