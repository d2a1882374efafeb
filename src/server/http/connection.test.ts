import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { FastifyReply } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { openServer } from '#server/http/server.ts';
import { openLog } from '#server/infra/observability/log.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { takeOverConnection } from '#server/http/live.ts';

const REQUEST = 'GET /taken HTTP/1.1\r\nHost: x\r\n\r\n';

/** A server that takes over the connections of one address, and answers normally at another. */
async function listening() {
  const app = openServer({
    config: { TRUSTED_PROXIES: [], SIMULATOR: false, production: false },
    log: openLog({ level: 'silent' }),
    delayMsMax: 0,
  });
  const taken: (Socket | undefined)[] = [];
  const refs: WeakRef<object>[] = [];
  app.get('/taken', async (request, reply: FastifyReply) => {
    refs.push(...[request, request.raw, reply, reply.raw].map((one) => new WeakRef(one)));
    // As when an act has looked up its caller.
    await new Promise((resolve) => setImmediate(resolve));
    taken.push(takeOverConnection(reply, { 'x-of-its-own': 'yes' }));
    return reply;
  });
  app.get('/usual', async () => 'as usual');
  await app.listen({ port: 0, host: '127.0.0.1' });
  const address = app.server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  onTestFinished(async () => {
    for (const socket of taken) socket?.destroy();
    await app.close();
  });
  const connections = () =>
    new Promise<number>((resolve, reject) => {
      app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
    });
  return { port, taken, refs, connections };
}

function calling(port: number, words: string): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  socket.write(words);
  return socket;
}

test('writes to the connection are the body, which ends with it', async () => {
  const { port, taken } = await listening();
  const caller = calling(port, REQUEST);
  const all = text(caller);
  await waitFor(() => expect(taken).toHaveLength(1));
  taken[0]?.write('one ');
  taken[0]?.end('two');
  const [head, body] = (await all).split('\r\n\r\n');
  expect(body).toBe('one two');
  expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(head).toMatch(/\r\nx-of-its-own: yes\r\n/);
  expect(head).toMatch(/\r\nconnection: close\r\n/);
  expect(head).toMatch(/\r\nx-content-type-options: nosniff\r\n/);
  expect(head).not.toMatch(/transfer-encoding|content-length/i);
});

test('the request and its parser are released', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const { port, taken, refs } = await listening();
  calling(port, REQUEST);
  await waitFor(() => expect(taken).toHaveLength(1));
  expect(taken[0]).toHaveProperty('parser', null);
  await waitFor(() => {
    collect();
    expect(refs.map((ref) => ref.deref())).toEqual([undefined, undefined, undefined, undefined]);
  });
  expect(taken[0]?.writable).toBe(true);
});

test('a caller who sends another request on it is cut off', async () => {
  const { port, taken, connections } = await listening();
  const caller = calling(port, REQUEST);
  await waitFor(() => expect(taken).toHaveLength(1));
  caller.write('GET /usual HTTP/1.1\r\nHost: x\r\n\r\n');
  await waitFor(async () => expect(await connections()).toBe(0));
});

test.each([
  ['behind', `${REQUEST}GET /usual HTTP/1.1\r\nHost: x\r\n\r\n`],
  ['before', `GET /usual HTTP/1.1\r\nHost: x\r\n\r\n${REQUEST.repeat(2)}`],
  ['again', REQUEST.repeat(2)],
])('a caller who asked for something else in the same breath, %s, is cut off', async (_, words) => {
  const { port, taken, connections } = await listening();
  const caller = calling(port, words).resume();
  await once(caller, 'close');
  await waitFor(async () => expect(await connections()).toBe(0));
  expect(taken.filter((socket) => socket && !socket.destroyed)).toEqual([]);
});

test('it ends when its caller closes or resets it', async () => {
  const { port, taken, connections } = await listening();
  calling(port, REQUEST).end();
  calling(port, REQUEST).once('data', function reset(this: Socket) {
    this.resetAndDestroy();
  });
  await waitFor(() => expect(taken).toHaveLength(2));
  await waitFor(async () => expect(await connections()).toBe(0));
});

test('other connections are read as before, also where a caller offers another protocol', async () => {
  const { port, taken } = await listening();
  calling(port, REQUEST);
  await waitFor(() => expect(taken).toHaveLength(1));
  const offer = 'Connection: Upgrade, close\r\nUpgrade: websocket\r\n';
  const answer = await text(calling(port, `GET /usual HTTP/1.1\r\nHost: x\r\n${offer}\r\n`));
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n(.|\r\n)*as usual$/);
});
