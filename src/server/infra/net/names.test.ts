import { once } from 'node:events';
import { type Socket, createSocket } from 'node:dgram';
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { expect, test as base } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { isLocalName, openNames } from './names.ts';

/** The addresses of each name, as four or sixteen bytes; unknown names get no response. */
type Zone = Record<string, readonly Buffer[]>;
type NameServer = { address: string; asked: string[]; zone: Zone };

const A = 1;
const AAAA = 28;

function questionOf(packet: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = packet[at] ?? 0; length > 0; length = packet[at] ?? 0) {
    labels.push(packet.toString('ascii', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.'), type: packet.readUInt16BE(at + 1), end: at + 5 };
}

function answerTo(packet: Buffer, zone: Zone): Buffer | undefined {
  const { name, type, end } = questionOf(packet);
  const size = type === A ? 4 : type === AAAA ? 16 : 0;
  const found = zone[name]?.filter(({ length }) => length === size);
  if (!found) return undefined;
  const head = Buffer.from(packet.subarray(0, end));
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(found.length, 6);
  head.writeUInt16BE(0, 10);
  const records = found.map((address) => {
    const record = Buffer.alloc(12);
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt16BE(size, 10);
    return Buffer.concat([record, address]);
  });
  return Buffer.concat([head, ...records]);
}

const test = base.extend<{ nameServer: NameServer }>({
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads which fixtures a fixture asks for.
  nameServer: async ({}, use) => {
    const asked: string[] = [];
    const zone: Zone = {};
    const socket: Socket = createSocket('udp4', (packet, { port, address }) => {
      asked.push(questionOf(packet).name);
      const answer = answerTo(packet, zone);
      if (answer) socket.send(answer, port, address);
    });
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const { port } = socket.address();
    await use({ address: `127.0.0.1:${port}`, asked, zone });
    socket.close();
  },
});

const lookUp = (resolve: ReturnType<typeof openNames>, name: string): Promise<LookupAddress[]> =>
  new Promise((done, reject) => {
    resolve(name, { all: true }, (error, addresses) => (error ? reject(error) : done(addresses)));
  });

test('returns the addresses of both families, v4 first', async ({ nameServer }) => {
  nameServer.zone['toko.example'] = [
    Buffer.from('20010db8000000000000000000000001', 'hex'),
    Buffer.from([93, 184, 216, 34]),
  ];
  nameServer.zone['kosong.example'] = [];
  const names = openNames({ servers: [nameServer.address] });
  expect(await lookUp(names, 'toko.example')).toEqual([
    { address: '93.184.216.34', family: 4 },
    { address: '2001:db8::1', family: 6 },
  ]);
  await expect(lookUp(names, 'kosong.example')).rejects.toMatchObject({ code: 'ENODATA' });
});

test('silent name servers block neither files nor other look-ups', async ({ nameServer }) => {
  const names = openNames({ servers: [nameServer.address] });
  let ended = 0;
  const silent = Array.from({ length: 64 }, (_, n) =>
    lookUp(names, `diam-${n}.example`).catch(() => void (ended += 1)),
  );
  await waitFor(() => expect(new Set(nameServer.asked).size).toBe(64));
  expect((await readFile(import.meta.filename)).length).toBeGreaterThan(0);
  await lookup('localhost');
  expect(ended).toBe(0);
  await Promise.all(silent);
  expect(ended).toBe(64);
});

test('distinguishes names of private networks from public ones', () => {
  for (const name of ['localhost', 'LOCALHOST.', 'db', 'a.localhost', 'nas.local', 'x.internal']) {
    expect(isLocalName(name), name).toBe(true);
  }
  for (const name of ['toko.example', 'local.example', 'mylocal.id', 'internal.co.id.']) {
    expect(isLocalName(name), name).toBe(false);
  }
});
