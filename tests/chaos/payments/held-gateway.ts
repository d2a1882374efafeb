import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

export type Hold = {
  reached: Promise<void>;
  release(): void;
  /** Ends its connection, so that the rest never happens. */
  drop(): void;
};

export type HeldGateway = {
  url: string;
  /**
   * Holds the next matching request (`POST /v2/charge`): before the gateway receives it, or after the gateway has
   * processed it, together with its answer.
   */
  hold(when: 'before' | 'after', fits: RegExp): Hold;
  close(): Promise<void>;
};

type Waiting = {
  when: 'before' | 'after';
  fits: RegExp;
  reach: () => void;
  /** False if the connection must end. */
  goesOn: Promise<boolean>;
};

export async function openHeldGateway(gatewayUrl: string): Promise<HeldGateway> {
  const waiting: Waiting[] = [];
  const stop = async (when: Waiting['when'], name: string): Promise<boolean> => {
    const index = waiting.findIndex((one) => one.when === when && one.fits.test(name));
    const [held] = index < 0 ? [] : waiting.splice(index, 1);
    held?.reach();
    return held ? held.goesOn : true;
  };
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const name = `${request.method} ${request.url}`;
    const body = await buffer(request);
    if (!(await stop('before', name))) return void response.destroy();
    const answer = await fetch(gatewayUrl + request.url, {
      method: request.method ?? 'GET',
      headers: headersOf(request),
      ...(body.length > 0 && { body }),
    });
    // Gateway pages have https addresses; these are never opened.
    const text = (await answer.text()).replaceAll('"http://', '"https://');
    if (!(await stop('after', name))) return void response.destroy();
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  };
  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    hold: (when, fits) => {
      const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
      const { promise: goesOn, resolve: go } = Promise.withResolvers<boolean>();
      waiting.push({ when, fits, reach, goesOn });
      return { reached, release: () => go(true), drop: () => go(false) };
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const passedOn = ['authorization', 'content-type', 'idempotency-key', 'x-override-notification'];

const headersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    passedOn.flatMap((name) =>
      headers[name] === undefined ? [] : [[name, String(headers[name])]],
    ),
  );
