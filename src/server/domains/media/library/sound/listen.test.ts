import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { computeWaveform as listen } from './listen.ts';

const voice = join(import.meta.dirname, '../../../channels/simulator/samples/suara.ogg');
const mp3 = join(process.cwd(), 'tests/support/media/suara.mp3');
const folder = await mkdtemp(join(tmpdir(), 'kabari-sound-'));
const listenTo = (path: string, mime: string) => listen(path, mime, 'ani');
afterAll(() => rm(folder, { recursive: true, force: true }));

async function fileOf(bytes: Uint8Array): Promise<string> {
  const path = join(folder, crypto.randomUUID());
  await writeFile(path, bytes);
  return path;
}

/** A page of an Ogg stream, without its checksum, which the decoder does not verify. */
function oggPage(packets: readonly Buffer[], { nth, flags = 0 }: { nth: number; flags?: number }) {
  const head = Buffer.alloc(27 + packets.length);
  head.write('OggS', 'latin1');
  head[5] = flags;
  head.writeUInt32LE(nth, 18);
  head[26] = packets.length;
  packets.forEach((packet, at) => (head[27 + at] = packet.length));
  return Buffer.concat([head, ...packets]);
}

/** Opus pages, each of 255 packets that claim 120 ms of silence in two bytes. */
function silenceFor(pages: number): Buffer {
  const header = Buffer.alloc(19);
  header.write('OpusHead', 'latin1');
  header.set([1, 1], 8);
  header.writeUInt32LE(48_000, 12);
  const tags = Buffer.concat([Buffer.from('OpusTags'), Buffer.alloc(8)]);
  const packets = Array.from({ length: 255 }, () => Buffer.from([0x1b, 0x02]));
  return Buffer.concat([
    oggPage([header], { nth: 0, flags: 2 }),
    oggPage([tags], { nth: 1 }),
    ...Array.from({ length: pages }, (_, nth) => oggPage(packets, { nth: nth + 2 })),
  ]);
}

test('gives a voice note 64 bars, a loudest bar of 100, and its length', async () => {
  const sound = await listenTo(voice, 'audio/ogg');
  expect(sound?.seconds).toBeCloseTo(7.4, 1);
  expect(sound?.waveform).toHaveLength(64);
  expect(Math.max(...(sound?.waveform ?? []))).toBeGreaterThan(90);
  expect(new Set(sound?.waveform).size).toBeGreaterThan(20);
  expect(Math.min(...(sound?.waveform ?? []))).toBe(0);
});

test('gives an MP3 bars', async () => {
  const sound = await listenTo(mp3, 'audio/mpeg');
  expect(sound?.seconds).toBeCloseTo(3, 0);
  expect(Math.max(...(sound?.waveform ?? []))).toBe(100);
});

test('gives no bars for an undecodable or broken file, and decodes the next one', async () => {
  const bytes = await readFile(voice);
  for (const mime of ['audio/aac', 'audio/mp4', 'audio/amr', 'audio/webm', 'video/mp4']) {
    expect(await listenTo(voice, mime), mime).toBeUndefined();
  }
  const noise = crypto.getRandomValues(Buffer.alloc(4_000));
  expect(await listenTo(await fileOf(noise), 'audio/ogg')).toBeUndefined();
  expect(await listenTo(await fileOf(Buffer.from('OggS')), 'audio/ogg')).toBeUndefined();
  expect(await listenTo(join(folder, 'nowhere'), 'audio/ogg')).toBeUndefined();
  // A truncated file is decoded up to its end.
  const half = await listenTo(await fileOf(bytes.subarray(0, 7_000)), 'audio/ogg');
  expect(half?.seconds).toBeGreaterThan(1);
  expect(half?.seconds).toBeLessThan(7);
});

test('gives up on a file that claims to last for days, without blocking', async () => {
  const bomb = await fileOf(silenceFor(20_000));
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 10);
  const startedMs = performance.now();
  expect(await listenTo(bomb, 'audio/ogg')).toBeUndefined();
  const tookMs = performance.now() - startedMs;
  clearInterval(timer);
  // The main thread kept running meanwhile.
  expect(turns).toBeGreaterThan(tookMs / 10 / 4);
  expect(await listenTo(voice, 'audio/ogg')).toBeDefined();
});

test('shows a minute of silence as silence', async () => {
  const sound = await listenTo(await fileOf(silenceFor(2)), 'audio/ogg');
  expect(sound?.seconds).toBeGreaterThan(60);
  expect(Math.max(...(sound?.waveform ?? []))).toBe(0);
});
