import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { Refusal } from '#contract/base/refusals.ts';
import type { MediaKind } from '#contract/media.ts';
import { test } from '#tests/support/app/media-library.ts';
import { movingPicture, pdfOf, picture } from '#tests/support/app/uploads-app.ts';
import { customerWith } from '#tests/support/people/people.ts';
import type { Library } from './library.ts';

type Given = { name?: string; type?: string; kind?: MediaKind };

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const take = (
  library: Library,
  accountId: string,
  bytes: Buffer,
  { name = '', type = '', kind }: Given = {},
) => library.take({ accountId, bytes, declared: { name, type }, source: 'api', kind });

const whyNot = (...given: Parameters<typeof take>): Promise<string> =>
  take(...given).then(
    () => 'taken',
    (error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
      return 'why' in error.facts ? String(error.facts.why) : error.code;
    },
  );

const mp3 = Buffer.concat([latin1('\xff\xfb\x90\x64'), Buffer.alloc(413)]);

test('detects a file by its bytes, regardless of its name', async ({ sql, openTestLibrary }) => {
  const { accountId } = await customerWith(sql);
  const { library } = await openTestLibrary();
  const png = await picture('png');
  const files: [Buffer, Given, { name: string; mime: string }][] = [
    [png, {}, { name: 'berkas.png', mime: 'image/png' }],
    [png, { name: 'foto' }, { name: 'foto.png', mime: 'image/png' }],
    [png, { name: 'a.png', type: 'image/png' }, { name: 'a.png', mime: 'image/png' }],
    [png, { type: 'image/png; charset=x' }, { name: 'berkas.png', mime: 'image/png' }],
    [mp3, { name: 'lagu.mp3' }, { name: 'lagu.mp3', mime: 'audio/mpeg' }],
    [latin1('#!AMR\n...'), { type: 'audio/amr' }, { name: 'berkas.amr', mime: 'audio/amr' }],
    [latin1('\xff\xf1\x50\x80...'), { name: 'a.aac' }, { name: 'a.aac', mime: 'audio/aac' }],
    [
      latin1('\0\0\0\x20ftypM4A \0\0'),
      { kind: 'audio' },
      { name: 'berkas.m4a', mime: 'audio/mp4' },
    ],
    [latin1('\0\0\0\x20ftyp3gp4\0\0'), { name: 'a.3gp' }, { name: 'a.3gp', mime: 'video/3gpp' }],
    [pdfOf(900), { name: '../../struk' }, { name: 'struk.pdf', mime: 'application/pdf' }],
    [Buffer.from('a,b\n'), { name: 'a.csv' }, { name: 'a.csv', mime: 'text/csv' }],
  ];
  for (const [bytes, given, kept] of files) {
    expect(await take(library, accountId, bytes, given)).toMatchObject(kept);
  }
});

test('refuses files that contradict themselves, hide content or explode', async ({
  sql,
  openTestLibrary,
}) => {
  const { accountId } = await customerWith(sql);
  const { library, files, folder } = await openTestLibrary();
  const png = await picture('png');
  const of = (bytes: Buffer | string, given: Given) =>
    whyNot(library, accountId, typeof bytes === 'string' ? latin1(bytes) : bytes, given);
  // False types, of each form.
  expect(await of(png, { name: 'a.jpg' })).toBe('upload_contradicts');
  expect(await of(png, { name: 'a.png', type: 'image/jpeg' })).toBe('upload_contradicts');
  expect(await of(png, { type: 'application/pdf' })).toBe('upload_contradicts');
  expect(await of(mp3, { type: 'image/png' })).toBe('upload_contradicts');
  expect(await of('<svg onload="x()"/>', { name: 'a.svg' })).toBe('upload_kind_refused');
  expect(await of('<svg onload="x()"/>', { type: 'image/svg+xml' })).toBe('upload_kind_refused');
  expect(await of('<html>', { type: 'text/html' })).toBe('upload_kind_refused');
  expect(await of('<html>', {})).toBe('upload_kind_refused');
  expect(await of('<html>', { name: 'a.txt' })).toBe('upload_contradicts');
  expect(await of('MZ\x90\0\x03', { name: 'a.exe' })).toBe('upload_kind_refused');
  expect(await of('GIF89a/*', { name: 'a.gif' })).toBe('upload_kind_refused');
  expect(await of('%PDF-1.4 /JavaScript %%EOF', {})).toMatch('skrip');
  // Polyglots: redrawing removes the script.
  const polyglot = Buffer.concat([png, Buffer.from('<script>alert(1)</script>')]);
  const { fileId } = await take(library, accountId, polyglot, { name: 'a.png' });
  const kept = await files.read(accountId, fileId);
  expect(kept?.bytes.includes('<script')).toBe(false);
  const giant = await picture('png', { width: 8_000, height: 6_000 });
  expect(await of(giant, {})).toMatch('40 juta piksel');
  expect(await of(await movingPicture(12), {})).toMatch('bergerak');
  expect(await of('', {})).toBe('upload_kind_refused');
  expect(await of(Buffer.alloc(5_000_001, '\xff\xd8\xff\xe0', 'latin1'), {})).toBe(
    'upload_too_large',
  );
  // No leftovers beside the store.
  expect(await readdir(join(folder, 'uploads'))).toEqual([]);
});

test('refuses a file that does not fit the type of its message', async ({
  sql,
  openTestLibrary,
}) => {
  const { accountId } = await customerWith(sql);
  const { library } = await openTestLibrary();
  const of = (bytes: Buffer, kind: MediaKind) => whyNot(library, accountId, bytes, { kind });
  const webp = await picture('webp');
  const pdf = pdfOf(900);
  expect(await of(webp, 'sticker')).toBe('taken');
  expect(await of(await picture('png'), 'sticker')).toBe('upload_kind_refused');
  expect(await of(pdf, 'image')).toBe('upload_kind_refused');
  expect(await of(pdf, 'document')).toBe('taken');
  expect(await of(webp, 'video')).toBe('upload_kind_refused');
  expect(await of(mp3, 'audio')).toBe('taken');
  expect(await of(mp3, 'video')).toBe('upload_kind_refused');
});

test('adds a preview to a large picture', async ({ sql, openTestLibrary }) => {
  const { accountId } = await customerWith(sql);
  const { library, files } = await openTestLibrary();
  const large = await take(
    library,
    accountId,
    await picture('jpeg', { width: 1_600, height: 900 }),
  );
  const small = await files.read(accountId, large.previewId ?? '');
  expect(small).toMatchObject({ mime: 'image/webp' });
  expect(small?.bytes.length).toBeLessThan(large.sizeBytes);
  expect((await take(library, accountId, await picture('png'))).previewId).toBeNull();
});

test('stores a voice note with its waveform and length', async ({ sql, openTestLibrary }) => {
  const { accountId } = await customerWith(sql);
  const { library } = await openTestLibrary();
  const voice = await readFile(
    join(import.meta.dirname, '../../channels/simulator/samples/suara.ogg'),
  );
  const { fileId } = await take(library, accountId, voice, { kind: 'audio' });
  const kept = (await library.find(accountId, [fileId])).get(fileId);
  expect(kept?.waveform).toHaveLength(64);
  expect(kept?.seconds).toBeCloseTo(7.4, 1);
  // A sound that cannot be decoded has no waveform.
  const amr = await take(library, accountId, latin1('#!AMR\n...'), { type: 'audio/amr' });
  expect(amr).toMatchObject({ waveform: null, seconds: null });
});

test('limits the total size of an account’s files, also under concurrency', async ({
  sql,
  openTestLibrary,
}) => {
  const { accountId } = await customerWith(sql);
  const budi = await customerWith(sql);
  const { library } = await openTestLibrary({ storedBytesMax: 2_500 });
  const outcomes = await Promise.all(
    [1, 2, 3, 4].map((seed) => whyNot(library, accountId, pdfOf(1_000, seed))),
  );
  expect(outcomes.toSorted()).toEqual(['storage_full', 'storage_full', 'taken', 'taken']);
  expect(await whyNot(library, budi.accountId, pdfOf(1_000))).toBe('taken');
});

test('stores and counts the same content once', async ({ sql, openTestLibrary }) => {
  const { accountId } = await customerWith(sql);
  const { library, files } = await openTestLibrary({ storedBytesMax: 1_500 });
  const first = await take(library, accountId, pdfOf(1_000), { name: 'a.pdf' });
  const second = await take(library, accountId, pdfOf(1_000), { name: 'b.pdf' });
  expect(second.sha256).toEqual(first.sha256);
  expect(await whyNot(library, accountId, pdfOf(1_000, 2))).toBe('storage_full');
  await library.remove(accountId, first.fileId);
  expect((await files.read(accountId, second.fileId))?.bytes.length).toBe(1_000);
});

test('finds and removes a file for its own account only', async ({ sql, openTestLibrary }) => {
  const ani = await customerWith(sql);
  const budi = await customerWith(sql);
  const { library, files } = await openTestLibrary();
  const { fileId } = await take(library, ani.accountId, pdfOf(900));
  expect((await library.find(budi.accountId, [fileId])).size).toBe(0);
  await expect(library.remove(budi.accountId, fileId)).rejects.toMatchObject({ code: 'not_found' });
  await library.remove(ani.accountId, fileId);
  expect(await files.open(ani.accountId, fileId)).toBeUndefined();
  await expect(library.remove(ani.accountId, fileId)).rejects.toMatchObject({ code: 'not_found' });
});

test('keeps a file for the retention days after its last use, then erases it with its preview', async ({
  sql,
  openTestLibrary,
}) => {
  const { accountId } = await customerWith(sql);
  let now = new Date();
  const { library, folder } = await openTestLibrary({ now: () => now, retentionDays: () => 30 });
  const days = (n: number) => {
    now = new Date(now.getTime() + n * 86_400_000);
  };
  const wide = await picture('png', { width: 900, height: 20 });
  const used = await take(library, accountId, wide);
  const unused = await take(library, accountId, pdfOf(900));
  const found = async () =>
    [...(await library.find(accountId, [used.fileId, unused.fileId])).keys()].toSorted();
  days(20);
  await library.use(accountId, [used.fileId]);
  days(11);
  await library.sweep();
  expect(await found()).toEqual([used.fileId]);
  days(20);
  await library.sweep();
  expect(await found()).toEqual([]);
  expect(await sql`select * from files`).toEqual([]);
  const left = await readdir(join(folder, 'files'), { recursive: true, withFileTypes: true });
  expect(left.filter((entry) => entry.isFile())).toEqual([]);
});

test('keeps the file of a scheduled message until it is sent, and for the retention days after', async ({
  sql,
  openTestLibrary,
}) => {
  const { accountId } = await customerWith(sql);
  let now = new Date();
  const { library } = await openTestLibrary({ now: () => now, retentionDays: () => 1 });
  const later = (days: number) => new Date(now.getTime() + days * 86_400_000);
  const planned = await take(library, accountId, pdfOf(900));
  const other = await take(library, accountId, pdfOf(901));
  const [far, never] = [later(40), new Date('9998-12-31T23:00:00Z')];
  const stranger = await customerWith(sql);
  const given = new Map([[planned.fileId, far]]);
  expect((await library.findToSend(stranger.accountId, given)).size).toBe(0);
  expect([...(await library.findToSend(accountId, given)).keys()]).toEqual([planned.fileId]);
  // An earlier schedule does not shorten it.
  await library.findToSend(accountId, new Map([[planned.fileId, later(2)]]));
  now = later(40.5);
  await library.sweep();
  const ids = [planned.fileId, other.fileId];
  expect([...(await library.find(accountId, ids)).keys()]).toEqual([planned.fileId]);
  await library.findToSend(accountId, new Map([[planned.fileId, never]]));
  const [kept] = (await library.find(accountId, ids)).values();
  expect(kept && kept.expiresAt > never).toBe(true);
});

test('reports errors while cleaning up a refused file, and still answers the refusal', async ({
  sql,
  openTestLibrary,
}) => {
  const { accountId } = await customerWith(sql);
  const { files } = await openTestLibrary();
  const erase = () => Promise.reject(new Error('the disk is gone'));
  const { library, troubles } = await openTestLibrary({
    storedBytesMax: 10,
    files: { ...files, erase },
  });
  expect(await whyNot(library, accountId, pdfOf(900))).toBe('storage_full');
  expect(troubles).toEqual([new Error('the disk is gone')]);
});
