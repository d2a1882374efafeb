import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { openDatabaseLink } from './database-link.ts';
import { seededRandom } from './random.ts';

const PIECES = 2_000;

test('delivers pieces in order under changing delays and in a busy process', async () => {
  const arrived: Buffer[] = [];
  const server = createServer((socket) =>
    socket.on('data', (bytes: Buffer) => arrived.push(bytes)),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const link = await openDatabaseLink(`postgres://kabari@127.0.0.1:${port}/kabari`);
  const sender = connect(Number(new URL(link.url).port), '127.0.0.1');
  await once(sender, 'connect');

  const random = seededRandom(1);
  for (let n = 0; n < PIECES; n++) {
    if (n % 20 === 0) link.delay(random.chance(0.3) ? 0 : random.whole(1, 20));
    sender.write(Uint8Array.of(n >> 8, n & 255));
    if (n % 5 === 0) await pause(1);
    if (n % 7 === 0) beBusy(3);
  }
  const numbers = () => {
    const bytes = Buffer.concat(arrived);
    return Array.from({ length: bytes.length >> 1 }, (_, n) => bytes.readUInt16BE(n * 2));
  };
  await waitFor(() => numbers().length === PIECES);
  expect(numbers()).toEqual(Array.from({ length: PIECES }, (_, n) => n));

  sender.destroy();
  await link.close();
  server.close();
});

/** Blocks the event loop, so that due timers fire late and meet new input. */
function beBusy(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
