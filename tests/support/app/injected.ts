import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Makes injected requests end like those of a connection: the whole body is there from the start, so it is never late,
 * and its unread part goes with the answer. Otherwise `limitBodies` would cut it off at a socket that does not exist.
 */
export function endInjected(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw }) => {
    if (!(raw.socket instanceof Socket)) raw.complete = true;
  });
  app.addHook('onResponse', async ({ raw }) => {
    if (!(raw.socket instanceof Socket)) raw.destroy();
  });
}
