import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import type { FrameSource, Person } from '#server/infra/acts.ts';
import { openLog } from '#server/infra/observability/log.ts';
import { PATIENCE_MS, waitFor } from '#tests/support/wait-for.ts';
import { openStreams } from './live.ts';
import { openServer } from './server.ts';

/** More than any system buffers for a reader. */
const BIG = Buffer.alloc(24_000_000, 'x');
const STALLED_MS = 400;
/** So small that reading all of it takes at least six seconds. */
const SMALL_PIECE = 32_768;
const CHUNK = BIG.subarray(0, 65_536);

type Opened = { app: FastifyInstance; port: number; connections: () => Promise<number> };

async function listening(
  hang: (app: FastifyInstance) => void,
  stalledMs = STALLED_MS,
): Promise<Opened> {
  const app = openServer({
    config: { TRUSTED_PROXIES: [], SIMULATOR: false, production: false },
    log: openLog({ level: 'silent' }),
    delayMsMax: 0,
    limits: { stalledMs },
  });
  app.get('/big', async () => BIG);
  app.get('/small', async () => 'taken');
  hang(app);
  await app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(async () => {
    app.server.closeAllConnections();
    await app.close();
  });
  const address = app.server.address();
  const connections = () =>
    new Promise<number>((resolve, reject) => {
      app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
    });
  return { app, port: typeof address === 'object' && address ? address.port : 0, connections };
}

async function asking(port: number, path: string, times = 1): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').pause();
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(times));
  return socket;
}

test('a caller who does not read a response is cut off', async () => {
  const { port, connections } = await listening(() => undefined);
  await asking(port, '/big');
  await waitFor(async () => expect(await connections()).toBe(1));
  await waitFor(async () => expect(await connections()).toBe(0));
});

test('a caller who does not read a file is cut off, and the file is closed', async () => {
  let source: Readable | undefined;
  const { port } = await listening((app) => {
    app.get('/file', async (_request, reply) => {
      source = Readable.from(
        (function* () {
          for (;;) yield CHUNK;
        })(),
      );
      return reply.send(source);
    });
  });
  await asking(port, '/file');
  await waitFor(() => expect(source?.destroyed).toBe(true));
});

test('a caller who does not read the live stream is cut off, and nothing more is fetched', async () => {
  const frame = Buffer.from(`id: 1\nevent: token.changed\ndata: ${'x'.repeat(50_000)}\n\n`);
  let written = 0;
  let ended = false;
  const frames: FrameSource = (sink) => {
    const write = () => {
      do written += 1;
      while (sink.write(frame));
    };
    write();
    return { resume: write, cancel: () => (ended = true) };
  };
  const streams = openStreams({ alive: async (ids) => new Set(ids), report: () => undefined });
  onTestFinished(() => streams.close());
  const person: Person = {
    kind: 'person',
    accountId: '',
    userId: '',
    sessionId: '',
    role: 'customer',
    operatorRoles: [],
  };
  const { port, connections } = await listening((app) => {
    app.get('/live', async (_request, reply) => {
      streams.open(reply, { frames, person });
      return reply;
    });
  });
  await asking(port, '/live');
  await waitFor(async () => expect(await connections()).toBe(1));
  await waitFor(async () => expect(await connections()).toBe(0));
  await waitFor(() => expect(ended).toBe(true));
  // Only the system's buffer, without a queue of ours.
  expect(written * frame.length).toBeLessThan(40_000_000);
});

test('a slow but steady reader gets everything', async () => {
  const stalledMs = 2_000;
  const { port } = await listening(() => undefined, stalledMs);
  const socket = await asking(port, '/big');
  let bytes = 0;
  // Small pieces for longer than the time-out, then everything.
  const steadyUntil = performance.now() + 1.5 * stalledMs;
  while (bytes < BIG.length && !socket.destroyed) {
    const piece = performance.now() < steadyUntil ? SMALL_PIECE : undefined;
    bytes += (socket.read(piece) as Buffer | null)?.length ?? 0;
    await new Promise((resolve) => setTimeout(resolve, 8));
  }
  expect(bytes).toBeGreaterThanOrEqual(BIG.length);
});

test('an idle stream is left open', async () => {
  const { port, connections } = await listening((app) => {
    app.get('/quiet', (_request, reply) => {
      reply.hijack();
      reply.raw.writeHead(200, { connection: 'close' }).write(':\n\n');
      setTimeout(() => reply.raw.end('done'), 4 * STALLED_MS);
    });
  });
  const socket = await asking(port, '/quiet');
  await waitFor(async () => expect(await connections()).toBe(1));
  const heard = (
    await buffer(socket.resume().setTimeout(PATIENCE_MS, () => socket.end()))
  ).toString();
  expect(heard).toContain('done');
});

test('a caller who keeps sending requests without reading is cut off; a few at once are answered', async () => {
  const { port, connections } = await listening((app) => {
    app.get('/later', () => new Promise((resolve) => setTimeout(() => resolve('later'), 200)));
  });
  const few = await asking(port, '/small', 30);
  let heard = '';
  few
    .setEncoding('latin1')
    .on('data', (more: string) => (heard += more))
    .resume();
  await waitFor(() => expect(heard.split('taken').length - 1).toBe(30));
  few.destroy();
  await waitFor(async () => expect(await connections()).toBe(0));
  const many = await asking(port, '/later', 40);
  expect((await buffer(many.resume())).toString()).toBe('');
});
