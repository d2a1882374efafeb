import { once } from 'node:events';
import { connect } from 'node:net';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { endInjected } from '#tests/support/app/injected.ts';
import { limitBodies } from './connections.ts';

async function aServer(bodyMs: number) {
  const app = Fastify({
    clientErrorHandler: (error, socket) => {
      socket.end(`HTTP/1.1 408 ${'code' in error ? String(error.code) : ''}\r\n\r\n`);
    },
  });
  limitBodies(app, bodyMs);
  app.post('/short', async () => 'taken');
  app.post('/slow', () => new Promise((resolve) => setTimeout(() => resolve('taken'), 400)));
  app.addContentTypeParser('test/long', (_request, payload, done) => {
    payload.resume().once('end', () => done(null));
  });
  app.post('/long', { config: { longBody: true } }, async () => 'taken');
  await app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(async () => app.close());
  const address = app.server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/** Sends all of a body but its last byte, and that one after the server's time-out. */
async function halting(port: number, path: string, type: string, lateMs?: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let heard = '';
  socket.setEncoding('latin1').on('data', (more: string) => (heard += more));
  socket.on('error', () => undefined);
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: ${type}\r\n` +
      'Content-Length: 4\r\n\r\n"a',
  );
  if (lateMs !== undefined) setTimeout(() => socket.write('b"'), lateMs);
  await once(socket, 'close');
  return heard;
}

test('an incomplete body is cut off, unless it is an upload', async () => {
  const port = await aServer(150);
  expect(await halting(port, '/short', 'application/json')).toBe(
    'HTTP/1.1 408 ERR_HTTP_REQUEST_TIMEOUT\r\n\r\n',
  );
  expect(await halting(port, '/long', 'test/long', 600)).toMatch(/^HTTP\/1\.1 200 [^]*taken/);
});

test('a slow response to a timely body is not cut off', async () => {
  const port = await aServer(150);
  const answer = await fetch(`http://127.0.0.1:${port}/slow`, { method: 'POST', body: 'a' });
  expect(answer.status).toBe(200);
});

test('an injected body never times out, however late it is read', async () => {
  let cut = 0;
  const app = Fastify({ clientErrorHandler: () => void (cut += 1) });
  limitBodies(app, 20);
  endInjected(app);
  app.addHook('onRequest', () => new Promise((resolve) => setTimeout(resolve, 100)));
  app.post('/', async () => 'taken');
  const { body } = await app.inject({ method: 'POST', url: '/', payload: { a: 1 } });
  expect([body, cut]).toEqual(['taken', 0]);
});
