import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { computeWaveform } from '#server/domains/media/library/sound/listen.ts';
import {
  type OpusTrack,
  checksum,
  readWebm,
  samplesOf,
  writeOgg,
} from '#web/ui/chat/recorder/oggOpus.ts';

const sample = join(
  import.meta.dirname,
  '../src/server/domains/channels/simulator/samples/suara.ogg',
);

type OggPage = { flags: number; granule: number; packets: Uint8Array<ArrayBuffer>[] };

function pagesOf(bytes: Buffer): OggPage[] {
  const pages: OggPage[] = [];
  for (let at = 0; at < bytes.length;) {
    const laces = [...bytes.subarray(at + 27, at + 27 + bytes.readUInt8(at + 26))];
    const begin = at + 27 + laces.length;
    const end = begin + laces.reduce((sum, one) => sum + one, 0);
    const page = Buffer.from(bytes.subarray(at, end));
    const sum = page.readUInt32LE(22);
    page.writeUInt32LE(0, 22);
    expect(checksum(page)).toBe(sum);
    const packets: Uint8Array<ArrayBuffer>[] = [];
    let [from, to] = [begin, begin];
    for (const lace of laces) {
      to += lace;
      if (lace === 255) continue;
      packets.push(new Uint8Array(bytes.subarray(from, to)));
      from = to;
    }
    pages.push({ flags: page[5] ?? 0, granule: Number(page.readBigUInt64LE(6)), packets });
    at = end;
  }
  return pages;
}

function trackOf(ogg: Buffer): OpusTrack {
  const [head, , ...rest] = pagesOf(ogg).flatMap(({ packets }) => packets);
  if (!head) throw new Error('no head');
  return { head, packets: rest };
}

const element = (id: number[], ...parts: Uint8Array[]) => {
  const body = Buffer.concat(parts);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(0x1000_0000 + body.length);
  return Buffer.concat([Buffer.from(id), size, body]);
};

/** As Chromium's recorder writes it: segment and clusters without a size, a block per packet. */
function webmOf({ head, packets }: OpusTrack, blocksEach = 40): Uint8Array<ArrayBuffer> {
  const unknown = Buffer.from([0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
  const open = (...id: number[]) => Buffer.concat([Buffer.from(id), unknown]);
  const clusters: Uint8Array[] = [];
  packets.forEach((packet, nth) => {
    if (nth % blocksEach === 0) {
      clusters.push(open(0x1f, 0x43, 0xb6, 0x75), element([0xe7], Buffer.from([nth & 0x7f])));
    }
    clusters.push(element([0xa3], Buffer.from([0x81, 0, 0, 0x80]), packet));
  });
  return new Uint8Array(
    Buffer.concat([
      element([0x1a, 0x45, 0xdf, 0xa3], element([0x42, 0x82], Buffer.from('webm'))),
      open(0x18, 0x53, 0x80, 0x67),
      element(
        [0x16, 0x54, 0xae, 0x6b],
        element(
          [0xae],
          element([0xd7], Buffer.from([1])),
          element([0x86], Buffer.from('A_OPUS')),
          element([0x63, 0xa2], head),
        ),
      ),
      ...clusters,
    ]),
  );
}

test('converts a WebM recording to Ogg with the same packets and waveform', async () => {
  const original = trackOf(await readFile(sample));
  const read = readWebm(webmOf(original));
  expect(read).toEqual(original);
  if (!read) throw new Error('not read');
  const ogg = Buffer.from(await writeOgg(read).arrayBuffer());
  const pages = pagesOf(ogg);
  expect(trackOf(ogg)).toEqual(original);
  expect([pages[0]?.flags, pages.at(-1)?.flags]).toEqual([2, 4]);
  expect(pages.at(-1)?.granule).toBe(
    original.packets.reduce((sum, packet) => sum + samplesOf(packet), 0),
  );
  const folder = await mkdtemp(join(tmpdir(), 'kabari-voice-'));
  const path = join(folder, 'suara.ogg');
  await writeFile(path, ogg);
  // A busy machine gives up on a sound after ten seconds, so it is tried again.
  const listen = (file: string) =>
    waitFor(async () => (await computeWaveform(file, 'audio/ogg', 'ani')) ?? false);
  const [before, after] = [await listen(sample), await listen(path)];
  await rm(folder, { recursive: true });
  expect(after.waveform).toEqual(before.waveform);
  expect(after.seconds).toBeCloseTo(before.seconds, 1);
});

test('preserves the length of packets of every length', async () => {
  const packets = [0, 1, 254, 255, 256, 510, 1_275].map((size) => new Uint8Array(size).fill(8));
  const { head } = trackOf(await readFile(sample));
  const track = { head, packets: Array.from({ length: 40 }, () => packets).flat() };
  expect(trackOf(Buffer.from(await writeOgg(track).arrayBuffer()))).toEqual(track);
});

test('reads no recording from bytes of another format', async () => {
  const { head, packets } = trackOf(await readFile(sample));
  const whole = webmOf({ head, packets });
  expect(readWebm(new Uint8Array())).toBeUndefined();
  expect(readWebm(new Uint8Array(await readFile(sample)))).toBeUndefined();
  expect(readWebm(webmOf({ head: new Uint8Array(19), packets }))).toBeUndefined();
  expect(readWebm(webmOf({ head, packets: [] }))).toBeUndefined();
  // A truncated recording yields its complete packets.
  expect(readWebm(whole.slice(0, whole.length / 2))?.packets.length).toBeGreaterThan(10);
});
