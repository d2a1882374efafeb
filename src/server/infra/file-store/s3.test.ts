import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type S3Server, isRealStore, startS3Server } from '#tests/support/files/s3-server.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { openDiskStore } from './open.ts';
import { type FileStore, StoreAway } from './file-store.ts';

let s3: S3Server;
beforeAll(async () => {
  s3 = await startS3Server();
});
afterAll(() => s3.close());

async function someFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kabari-store-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const stores: Record<string, () => Promise<FileStore>> = {
  'a folder': async () => openDiskStore(await someFolder()),
  'a bucket': () => s3.open(),
  'a bucket, in pieces': () => s3.open({ pieceBytes: 5 * 1_048_576 }),
};

async function draftOf(bytes: Uint8Array): Promise<string> {
  const path = join(await someFolder(), 'draft');
  await writeFile(path, bytes);
  return path;
}

const keysIn = async (store: FileStore, prefix: string) =>
  (await Array.fromAsync(store.list(prefix))).map(({ key }) => key).toSorted();

test.each(Object.keys(stores))('%s returns stored files, whole and in spans', async (kind) => {
  const store = (await stores[kind]?.()) as FileStore;
  const bytes = randomBytes(kind.includes('pieces') ? 11_000_000 : 70_000);
  const [key, { length }] = ['files/ab/abc', bytes];
  await store.put(key, await draftOf(bytes), length);
  expect(await store.size(key)).toBe(length);
  expect((await buffer(await store.stream(key))).equals(bytes)).toBe(true);
  const span = { start: 10, end: length - 10 };
  const middle = await buffer(await store.stream(key, span));
  expect(middle.equals(bytes.subarray(10, length - 9))).toBe(true);
  const read = await store.withFile(key, (path) => readFile(path));
  expect(read.equals(bytes)).toBe(true);
  await store.put(key, await draftOf(Buffer.from('other')), 5);
  expect(String(await buffer(await store.stream(key)))).toBe('other');
});

test.each(['a folder', 'a bucket'])('%s lists and deletes its files', async (kind) => {
  const store = (await stores[kind]?.()) as FileStore;
  const draft = () => draftOf(Buffer.from('x'));
  for (const key of ['files/aa/aa1', 'files/bb/bb1', 'exports/1.zip', 'exports/rows/2.csv']) {
    await store.put(key, await draft(), 1);
  }
  expect(await keysIn(store, 'files/')).toEqual(['files/aa/aa1', 'files/bb/bb1']);
  expect(await keysIn(store, 'exports/')).toEqual(['exports/1.zip', 'exports/rows/2.csv']);
  expect(await keysIn(store, 'exports/rows/2.')).toEqual(['exports/rows/2.csv']);
  const [one] = await Array.fromAsync(store.list('exports/1'));
  expect(one?.sizeBytes).toBe(1);
  expect(Math.abs((one?.modifiedMs ?? 0) - Date.now())).toBeLessThan(300_000);
  await store.delete('files/aa/aa1');
  await store.delete('files/aa/aa1');
  expect(await keysIn(store, 'files/')).toEqual(['files/bb/bb1']);
  expect(await store.size('files/aa/aa1')).toBeUndefined();
  await expect(store.stream('files/aa/aa1')).rejects.toMatchObject({ code: 'ENOENT' });
  const read = () => store.withFile('files/aa/aa1', (path) => readFile(path));
  await expect(read()).rejects.toMatchObject({ code: 'ENOENT' });
});

// s3rver has no continuation tokens if OpenSSL has no DES.
test.skipIf(!isRealStore)('lists more than one page', async () => {
  const store = await s3.open({ pageKeys: 3 });
  const path = await draftOf(Buffer.from('x'));
  const keys = Array.from({ length: 8 }, (_, nth) => `uploads/${nth}`);
  for (const key of keys) await store.put(key, path, 1);
  expect(await keysIn(store, 'uploads/')).toEqual(keys);
});

test.each(['drops', 503, 403] as const)(
  'a store in trouble (%s) is away, and says nothing of its keys',
  async (trouble) => {
    const store = await s3.open();
    const path = await draftOf(Buffer.from('x'));
    await store.put('files/a', path, 1);
    s3.trouble(trouble);
    onTestFinished(() => s3.trouble(undefined));
    for (const ask of [
      () => store.size('files/a'),
      () => store.stream('files/a'),
      () => store.put('files/b', path, 1),
      () => store.delete('files/a'),
      () => keysIn(store, 'files/'),
      () => store.claim(),
    ]) {
      const error = await ask().then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(StoreAway);
      expect(JSON.stringify([error, String(error)])).not.toMatch(/S3RVER|Signature/);
      expect(typeof (error as StoreAway).refusal).toBe(trouble === 403 ? 'string' : 'undefined');
    }
    s3.trouble(undefined);
    expect(await store.size('files/a')).toBe(1);
    expect(await keysIn(store, 'files/')).toEqual(['files/a']);
  },
);

test('a prefix belongs to the installation that claimed it first', async () => {
  const [ours, again, theirs] = [
    await s3.open({ prefix: 'shared' }),
    await s3.open({ prefix: 'shared' }),
    await s3.open({ prefix: 'shared', owner: 'theirs' }),
  ];
  await ours.claim();
  await again.claim();
  await expect(theirs.claim()).rejects.toThrow('another installation');
  expect(ours.name).toBe('s3://kabari/shared');
});

test('a reader that leaves before the first byte releases its connection', async () => {
  const store = await s3.open();
  const bytes = randomBytes(24_000_000);
  await store.put('files/ab/left', await draftOf(bytes), bytes.length);
  for (let n = 0; n < 5; n++) (await store.stream('files/ab/left')).destroy();
  await waitFor(() => expect(s3.underWay()).toBe(0));
});
