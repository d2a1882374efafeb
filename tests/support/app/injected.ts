import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Ends requests that were injected once they are answered, as their connection would. Else what a refused
 * one did not read is awaited, and cut off in the middle of another test.
 */
export function endInjected(app: FastifyInstance): void {
  app.addHook('onResponse', async ({ raw }) => {
    if (!(raw.socket instanceof Socket)) raw.destroy();
  });
}
