import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Makes requests that are injected end like those of a connection: the whole body is there from the start, so it is
 * never late, and what was not read of it goes with the answer. Else `limitBodies` cuts it off at a socket that is none.
 */
export function endInjected(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw }) => {
    if (!(raw.socket instanceof Socket)) raw.complete = true;
  });
  app.addHook('onResponse', async ({ raw }) => {
    if (!(raw.socket instanceof Socket)) raw.destroy();
  });
}
