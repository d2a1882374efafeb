import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type Socket, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect } from 'vitest';
import { test as withDatabase } from '#tests/support/database/database.ts';
import { signedIn } from '#tests/support/app/running-app.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const SOCKETS = 1_000;
/** The system buffers some MB for each of these. */
const READERS = 100;
/** A third of the limits in `openServer`. */
const limits = { headersMs: 1_700, bodyMs: 5_000, stalledMs: 5_000 };
/** More than the system buffers for a reader. */
const BIG_BYTES = 12_000_000;

type Node = { port: number; connections: () => Promise<number> };

const test = withDatabase.extend<{ node: Node }>({
  node: async ({ db }, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'kabari-slow-'));
    const web = join(folder, 'web');
    await mkdir(join(web, 'assets'), { recursive: true });
    await writeFile(join(web, 'assets/big.bin'), Buffer.alloc(BIG_BYTES, 'x'));
    const given = [db.url, join(folder, 'data'), web, JSON.stringify(limits)];
    const child: ChildProcess = fork('tests/support/app/slow-node.ts', given);
    const ended = once(child, 'exit');
    const next = async () =>
      (await once(child, 'message'))[0] as { port: number; connections: number };
    const { port } = await Promise.race([
      next(),
      ended.then(() => Promise.reject(new Error('the node did not start'))),
    ]);
    const connections = async () => {
      child.send('connections');
      return (await next()).connections;
    };
    await use({ port, connections });
    child.disconnect();
    await ended;
    await rm(folder, { recursive: true, force: true });
  },
});

type Slow = { socket: Socket; drip: string };

function slowCaller(port: number, at: number): Slow {
  const socket = connect(port, '127.0.0.1').pause();
  socket.on('error', () => undefined);
  if (at < READERS) {
    socket.write('GET /assets/big.bin HTTP/1.1\r\nHost: x\r\n\r\n');
    return { socket, drip: '' };
  }
  const head = 'POST /api HTTP/1.1\r\nHost: x\r\nSec-Fetch-Site: same-origin\r\n';
  const body = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\n';
  const answer = [`${head}X-Slow: `, head + body, undefined][at % 3];
  if (answer !== undefined) socket.write(answer);
  return { socket, drip: answer === undefined ? '' : 'x' };
}

const DRIP_MS = 1_000;

/** Once a second, one character from each writer and a few bytes for each reader. */
function dripping(slow: readonly Slow[]): () => void {
  const timer = setInterval(() => {
    for (const { socket, drip } of slow) {
      if (drip === '') socket.read(10);
      else if (socket.writable) socket.write(drip);
    }
  }, DRIP_MS);
  return () => {
    clearInterval(timer);
    for (const { socket } of slow) socket.destroy();
  };
}

/** Calls as browsers make them, one after the other, until aborted. @returns those that failed. */
async function callsUntil(port: number, token: string, ended: AbortSignal) {
  const wrong: string[] = [];
  let calls = 0;
  const lane = async (act: string, from: string) => {
    while (!ended.aborted) {
      calls += 1;
      const answer = await fetch(`http://127.0.0.1:${port}/api`, {
        method: 'POST',
        // Half of them on reused connections, half on new ones.
        headers: { 'sec-fetch-site': 'same-origin', 'x-forwarded-for': from, connection: from },
        body: new URLSearchParams({ act, token, fcm: '' }),
      }).then(
        async (response) => `${response.status} ${(await response.text()).slice(0, 80)}`,
        (error: Error) => inspect(error.cause ?? error),
      );
      if (!answer.startsWith('200 ')) wrong.push(answer);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  await Promise.all([lane('user_check_token', 'keep-alive'), lane('app_config', 'close')]);
  return { calls, wrong };
}

test('fails no other call beside 1,000 slow callers, and cuts the slow ones off', async ({
  node,
  db,
}) => {
  const { token } = await signedIn(db);
  const slow = Array.from({ length: SOCKETS }, (_, at) => slowCaller(node.port, at));
  const stop = dripping(slow);
  const ended = new AbortController();
  try {
    const calling = callsUntil(node.port, token, ended.signal);
    await waitFor(async () => expect(await node.connections()).toBeGreaterThan(SOCKETS * 0.9));
    await waitFor(async () => expect(await node.connections()).toBeLessThan(4));
    ended.abort();
    const { calls, wrong } = await calling;
    expect(wrong).toEqual([]);
    expect(calls).toBeGreaterThan(20);
  } finally {
    ended.abort();
    stop();
  }
});
