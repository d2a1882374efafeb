import { proto } from 'baileys';
import { expect, test as base } from 'vitest';
import type {
  AuthStorage,
  EngineEvent,
  SentStorage,
  WebEngine,
} from '#server/domains/channels/web/engine/engine.ts';
import {
  type WebSocketServer,
  openWebSocketServer,
} from '#tests/support/channels/web-socket-server.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { openThreadedEngine } from './threaded-engine.ts';

/**
 * The real client against our own server. Verifies that the thread starts, loads the library, connects to the
 * configured address and begins the network's handshake under its own identity, and that the ends of connection and
 * thread are reported. The rest, from the QR on, is not covered; in `npm run bench:numbers` the handshake is answered,
 * and texts go both ways.
 */
const test = base.extend<{
  network: Awaited<ReturnType<typeof openNetwork>>;
  openEngine: () => WebEngine;
}>({
  network: async ({ task: _ }, use) => {
    const network = await openNetwork();
    await use(network);
    await network.close();
  },
  openEngine: async ({ network }, use) => {
    const open: WebEngine[] = [];
    await use(() => {
      const engine = openThreadedEngine({ url: network.url, report: () => undefined });
      open.push(engine);
      return engine;
    });
    await Promise.all(open.map((engine) => engine.close()));
  },
});

test('the client begins with its handshake, and the end of a connection is reported', async ({
  network,
  openEngine,
}) => {
  const events: EngineEvent[] = [];
  await openEngine().open({ ...stored(), onEvent: (event) => void events.push(event) });
  const frame = await waitFor(() => network.frames[0] ?? false);

  // The protocol's header (WA, version 6, dictionary 3), a length, and the first message of Noise XX.
  expect([...frame.subarray(0, 4)]).toEqual([0x57, 0x41, 6, 3]);
  expect(frame.readUIntBE(4, 3)).toBe(frame.length - 7);
  const { clientHello } = proto.HandshakeMessage.decode(frame.subarray(7));
  expect(clientHello?.ephemeral).toHaveLength(32);

  network.endAll();
  await waitFor(() => expect(events.at(-1)).toMatchObject({ kind: 'closed' }));
  expect(events.at(-1)).toHaveProperty('code', expect.toBeOneOf([408, 428, 500]));
});

test('a closed connection emits nothing more, and the next one has a thread again', async ({
  network,
  openEngine,
}) => {
  const engine = openEngine();
  const events: EngineEvent[] = [];
  const onEvent = (event: EngineEvent) => void events.push(event);
  const first = await engine.open({ ...stored(), onEvent });
  await waitFor(() => network.frames.length === 1);
  await first.close();
  await engine.open({ ...stored(), onEvent });
  await waitFor(() => network.frames.length === 2);
  expect(events.filter(({ kind }) => kind === 'closed')).toEqual([]);
});

test('an unreadable identity ends only its own connection', async ({ network, openEngine }) => {
  const engine = openEngine();
  const events: EngineEvent[] = [];
  await engine.open({ ...stored(), onEvent: (event) => void events.push(event) });
  await waitFor(() => network.frames.length === 1);
  const broken = stored();
  const auth = { ...broken.auth, readCreds: async () => 'no identity' };
  await expect(engine.open({ ...broken, auth, onEvent: () => undefined })).rejects.toThrow('JSON');
  expect(events.filter(({ kind }) => kind === 'closed')).toEqual([]);
});

const threadThat = (next: string) =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { parentPort } from 'node:worker_threads';
      parentPort.once('message', ({ id }) => {
        parentPort.postMessage({ id, result: null });
        setImmediate(() => { ${next} });
      });`)}`,
  );

test.for([
  ['crashes', 'throw new Error("crash");'],
  ['blocks for ever', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);'],
] as const)(
  'a thread that %s ends its connections as closed, to be opened in another one',
  async ([, next]) => {
    const engine = openThreadedEngine({
      report: () => undefined,
      entry: threadThat(next),
      pingMs: 20,
      // Also the time that a thread has to start.
      silentMsMax: 4_000,
    });
    const events: EngineEvent[] = [];
    await engine.open({ ...stored(), onEvent: (event) => void events.push(event) });
    await waitFor(() => expect(events).toEqual([{ kind: 'closed', code: 428 }]));
    await engine.open({ ...stored(), onEvent: (event) => void events.push(event) });
    await waitFor(() => expect(events).toHaveLength(2));
    await engine.close();
  },
);

function stored(): { auth: AuthStorage; sent: SentStorage } {
  let creds: string | undefined;
  return {
    auth: {
      readCreds: async () => creds,
      writeCreds: async (written) => {
        creds = written;
      },
      readKeys: async () => ({}),
      writeKeys: async () => undefined,
    },
    sent: { readSent: async () => undefined, writeSent: async () => undefined },
  };
}

async function openNetwork(): Promise<WebSocketServer & { frames: Buffer[] }> {
  const frames: Buffer[] = [];
  const server = await openWebSocketServer((connection) => {
    connection.onMessage = (content) => {
      frames.push(content);
      connection.onMessage = () => undefined;
    };
  });
  return Object.assign(server, { frames });
}
