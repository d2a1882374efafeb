import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import sharp from 'sharp';
import { expect, onTestFinished, test } from 'vitest';
import { ZipFile } from 'yazl';
import { Refusal } from '#contract/base/refusals.ts';
import type { UploadPurpose } from '#contract/uploads.ts';
import { movingPicture } from '#tests/support/app/uploads-app.ts';
import { startsAsType, mimeByBytes, sniff } from './inspect-bytes.ts';
import { cleanName, withEnding } from './inspect-name.ts';
import { inspect } from './inspect.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');

async function inspected(
  name: string,
  bytes: Buffer,
  { purpose = 'chat', declared = '' }: { purpose?: UploadPurpose; declared?: string } = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'kabari-inspect-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'draft');
  await writeFile(path, bytes);
  return inspect(path, { accountId: 'ani', purpose, name, declared }, undefined);
}

const refusalOf = (...file: Parameters<typeof inspected>): Promise<Refusal | undefined> =>
  inspected(...file).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof Refusal) return error;
      throw error;
    },
  );

async function whyNot(...file: Parameters<typeof inspected>): Promise<string | undefined> {
  const refusal = await refusalOf(...file);
  if (!refusal) return undefined;
  return 'why' in refusal.facts ? String(refusal.facts.why) : refusal.code;
}

/** A file as browsers record it, with these tracks. */
const webmOf = (...tracks: string[]) =>
  latin1(`\x1aE\xdf\xa3\x9fB\x86\x81\x01B\xf7\x81\x01B\x82\x84webm....${tracks.join('....')}`);

type Content = Record<string, Buffer | string>;

async function zipOf(content: Content, mode?: number): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, bytes] of Object.entries(content)) {
    zip.addBuffer(Buffer.from(bytes), name, mode === undefined ? {} : { mode });
  }
  zip.end();
  return buffer(zip.outputStream);
}

const docx = { '[Content_Types].xml': '<Types/>', 'word/document.xml': '<w:document/>' };
const xlsx = { '[Content_Types].xml': '<Types/>', 'xl/workbook.xml': '<workbook/>' };
const pptx = { '[Content_Types].xml': '<Types/>', 'ppt/presentation.xml': '<p:presentation/>' };

/** The old office format, as far as inspection reads: its signature, and stream names. */
const oldOffice = (...streams: string[]) =>
  Buffer.concat([
    latin1('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'),
    Buffer.alloc(1_024),
    ...streams.map((name) => Buffer.from(`${name}\0`, 'utf16le')),
    Buffer.alloc(512),
  ]);

test('accepts a file of every kind under its own type', async () => {
  const ogg = latin1(`OggS\0${'\x02'.repeat(40)}`);
  const mp4 = latin1('\0\0\0\x20ftypisom\0\0\x02\0isomiso2');
  const files: [string, Buffer, string][] = [
    ['a.pdf', latin1('%PDF-1.4\n1 0 obj\n%%EOF\n'), 'application/pdf'],
    ['a.ogg', ogg, 'audio/ogg'],
    ['a.mp4', mp4, 'video/mp4'],
    ['a.m4a', latin1('\0\0\0\x20ftypM4A \0\0'), 'audio/mp4'],
    ['a.webm', webmOf('A_OPUS'), 'audio/webm'],
    ['a.weba', webmOf('A_VORBIS'), 'audio/webm'],
    [
      'a.docx',
      await zipOf(docx),
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    ],
    [
      'a.xlsx',
      await zipOf(xlsx),
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    ],
    [
      'a.pptx',
      await zipOf(pptx),
      'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    ],
    [
      'a.zip',
      await zipOf({ 'a/b.txt': 'halo', 'laporan.docx': await zipOf(docx) }),
      'application/zip',
    ],
    ['a.doc', oldOffice('WordDocument'), 'application/msword'],
    ['a.xls', oldOffice('Workbook'), 'application/vnd.ms-excel'],
    ['a.ppt', oldOffice('PowerPoint Document'), 'application/vnd.ms-powerpoint'],
    ['a.csv', Buffer.from('nama,nomor\r\nSitì,0812\r\n'), 'text/csv'],
    ['a.txt', Buffer.from('\ufeffhalo 🙂', 'utf16le'), 'text/plain'],
    // As spreadsheets write "Unicode text", in both byte orders: one byte of each of these letters is a control
    // character.
    ['a.csv', Buffer.from('\ufeffToko Ma’mur — Šari\r\n', 'utf16le'), 'text/csv'],
    ['b.csv', Buffer.from('\ufeffToko Ma’mur — Šari\r\n', 'utf16le').swap16(), 'text/csv'],
  ];
  for (const [name, bytes, mime] of files) {
    expect(await inspected(name, bytes)).toMatchObject({ name, mime });
  }
});

test('refuses bytes that contradict the file name, for every pair of types', async () => {
  const kinds: Record<string, Buffer> = {
    'a.pdf': latin1('%PDF-1.4\n%%EOF\n'),
    'a.ogg': latin1(`OggS\0${'\x02'.repeat(40)}`),
    'a.mp4': latin1('\0\0\0\x20ftypisom\0\0'),
    'a.docx': await zipOf(docx),
    'a.xlsx': await zipOf(xlsx),
    'a.doc': oldOffice('WordDocument'),
    'a.xls': oldOffice('Workbook'),
    'a.txt': Buffer.from('halo'),
    'a.png': await sharp({ create: { width: 9, height: 9, channels: 3, background: '#fff' } })
      .png()
      .toBuffer(),
    'a.jpg': latin1('\xff\xd8\xff\xe0'),
  };
  for (const name of Object.keys(kinds)) {
    for (const [other, bytes] of Object.entries(kinds)) {
      if (name === other) continue;
      expect([name, other, await whyNot(name, bytes)]).toEqual([name, other, 'upload_contradicts']);
    }
  }
  const gif = latin1('GIF89a');
  expect(await whyNot('a.jpg', gif)).toBe('upload_contradicts');
  expect(await whyNot('a.txt', Buffer.from('halo\0dunia'))).toBe('upload_contradicts');
  for (const wide of ['\ufeffhalo\0dunia', '\ufeff <!doctype html>']) {
    const bytes = Buffer.from(wide, 'utf16le');
    expect(await whyNot('a.txt', bytes)).toBe('upload_contradicts');
    expect(await whyNot('a.txt', bytes.swap16())).toBe('upload_contradicts');
  }
  expect(await whyNot('a.csv', Buffer.from(` ${'x'.repeat(2_000)}\0`))).toBe('upload_contradicts');
});

test('requires a declared type to fit the name, and accepts a file without one', async () => {
  const csv = Buffer.from('a,b\n');
  for (const declared of ['', 'text/csv', 'application/vnd.ms-excel', 'TEXT/CSV; charset=utf-8']) {
    expect(await whyNot('a.csv', csv, { declared })).toBeUndefined();
  }
  for (const declared of ['text/html', 'image/svg+xml', 'application/pdf', 'x']) {
    expect(await whyNot('a.csv', csv, { declared })).toBe('upload_contradicts');
  }
});

test('refuses archives that explode, have false types, or hide content', async () => {
  const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`${at}.txt`, 'x']));
  expect(await whyNot('a.zip', await zipOf(many))).toContain('lebih dari 1000 berkas');
  const zeros = Buffer.alloc(12_000_000);
  expect(await whyNot('a.zip', await zipOf({ 'nol.bin': zeros }))).toContain('terlalu besar');
  const nested = await zipOf({ 'dalam.zip': await zipOf({ a: 'x' }) });
  expect(await whyNot('a.zip', nested)).toBe('ada arsip di dalam arsip');
  const disguised = await zipOf({ 'dalam.txt': await zipOf({ a: 'x' }) });
  expect(await whyNot('a.zip', disguised)).toBe('ada arsip di dalam arsip');
  expect(await whyNot('a.zip', await zipOf({ a: '/etc/passwd' }, 0o120777))).toContain('tautan');
  const climbing = (await zipOf({ 'aaaaaaaaaa.txt': 'x' })).toString('latin1');
  const climbs = latin1(climbing.replaceAll('aaaaaaaaaa.txt', '../../../a.txt'));
  expect(await whyNot('a.zip', climbs)).toBe('arsipnya rusak');
  expect(await whyNot('a.zip', latin1('PK\x03\x04 and no more'))).toBe('arsipnya rusak');
  const macros = await zipOf({ ...docx, 'word/vbaProject.bin': 'x' });
  expect(await whyNot('a.docx', macros)).toBe('dokumen ini berisi makro');
  expect(await whyNot('a.docx', await zipOf({ a: 'x' }))).toBe('upload_contradicts');
  const old = oldOffice('Workbook', '_VBA_PROJECT');
  expect(await whyNot('a.xls', old)).toBe('dokumen ini berisi makro');
});

test('detects an archive whose directory understates its sizes', async () => {
  const honest = await zipOf({ 'nol.bin': Buffer.alloc(12_345_678) });
  const size = Buffer.alloc(4);
  size.writeUInt32LE(12_345_678);
  const small = Buffer.alloc(4);
  small.writeUInt32LE(1_000);
  const lying = latin1(
    honest.toString('latin1').replaceAll(size.toString('latin1'), small.toString('latin1')),
  );
  expect(await whyNot('a.zip', lying)).toBe('arsipnya rusak');
});

test('refuses an encrypted archive', async () => {
  const bytes = await zipOf({ 'a.txt': 'rahasia' });
  const at = bytes.indexOf(latin1('PK\x01\x02'));
  bytes.writeUInt16LE(bytes.readUInt16LE(at + 8) | 1, at + 8);
  expect(await whyNot('a.zip', bytes)).toBe('arsip berkata sandi tidak dapat diperiksa');
});

test('refuses a PDF with a script or a launch action, also when escaped', async () => {
  const pdf = (inside: string) => latin1(`%PDF-1.4\n1 0 obj<<${inside}>>endobj\n%%EOF\n`);
  expect(await whyNot('a.pdf', pdf('/Type/Catalog'))).toBeUndefined();
  for (const inside of ['/S/JavaScript/JS(app.alert(1))', '/S /Java#53cript', '/S/Launch/F(cmd)']) {
    expect(await whyNot('a.pdf', pdf(inside))).toContain('skrip');
  }
  expect(await whyNot('a.pdf', latin1('%PDF-1.4\nterpotong'))).toContain('rusak');
  expect(await whyNot('a.pdf', latin1('junk %PDF-1.4\n%%EOF'))).toBe('upload_contradicts');
});

/** A PNG that declares its size and has almost no data. */
const pngOf = (width: number, height: number) => {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width);
  size.writeUInt32BE(height, 4);
  const header = Buffer.concat([latin1('IHDR'), size, Buffer.of(8, 2, 0, 0, 0)]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(header));
  return Buffer.concat([latin1('\x89PNG\r\n\x1a\n\0\0\0\r'), header, sum, latin1('\0\0\0\0IDAT')]);
};

test('refuses animated, broken and giant pictures without drawing them', async () => {
  expect(await whyNot('a.png', pngOf(16_000, 16_000))).toContain('40 juta piksel');
  expect(await whyNot('a.png', pngOf(60, 60))).toContain('rusak');
  expect(await whyNot('a.jpg', latin1(`\xff\xd8\xff\xe0${'x'.repeat(900)}`))).toContain('rusak');
  const moving = await movingPicture(100);
  expect((await sharp(moving).metadata()).pages).toBeGreaterThan(1);
  expect(await whyNot('a.webp', moving)).toContain('bergerak');
});

test('never accepts markup or scripts as text, and gives unknown bytes no type', () => {
  for (const words of [
    '<svg onload=alert(1)>',
    '<!doctype html>',
    '<?php',
    '\ufeff <html>',
    '#!/bin/sh',
  ]) {
    expect(sniff(Buffer.from(words))).toBe('markup');
    expect(mimeByBytes(Buffer.from(words))).toBe('application/octet-stream');
  }
  expect(mimeByBytes(Buffer.alloc(0))).toBe('application/octet-stream');
  expect(mimeByBytes(latin1('\xff\xd8\xff\xe0'))).toBe('image/jpeg');
  expect(startsAsType('text/plain', Buffer.alloc(0))).toBe(false);
});

test('cleans every file name to a plain name', () => {
  expect(cleanName('../../etc/passwd')).toBe('passwd');
  expect(cleanName('C:\\Users\\Ani\\foto.jpg')).toBe('foto.jpg');
  expect(cleanName('foto.jpg::$DATA')).toBe('foto.jpg__$DATA');
  expect(cleanName('foto\u202Egpj.exe')).toBe('fotogpj.exe');
  expect(cleanName('a.php\0.jpg')).toBe('a.php.jpg');
  expect(cleanName('  ..  ')).toBe('berkas');
  expect(cleanName('a\r\nSet-Cookie: x.pdf')).toBe('aSet-Cookie_ x.pdf');
  expect(cleanName('keluarga 👨‍👩‍👧.png')).toBe('keluarga 👨‍👩‍👧.png');
  const long = cleanName(`${'é'.repeat(300)}.pdf`);
  expect([...long].length).toBe(200);
  expect(long.endsWith('.pdf')).toBe(true);
  expect(withEnding('foto.saya.HEIC', 'webp')).toBe('foto.saya.webp');
});

const letter = fc.oneof(
  fc.nat(0xff),
  fc.nat(0xffff),
  fc.constantFrom(...Array.from('./\\:. ', (one) => one.charCodeAt(0)), 0x202e, 0xfeff, 0xd800),
);

test('removes paths, control characters and text direction marks from every name', () => {
  fc.assert(
    fc.property(fc.array(letter, { maxLength: 300 }), (letters) => {
      const name = cleanName(String.fromCharCode(...letters));
      expect(name).not.toMatch(/[/\\\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
      expect(name.length).toBeGreaterThan(0);
      expect(name.isWellFormed()).toBe(true);
      expect(cleanName(name)).toBe(name);
    }),
  );
});

test('accepts WebM as sound only: refuses video tracks, and files without sound', async () => {
  expect(await whyNot('a.webm', webmOf('V_VP9', 'A_OPUS'))).toBe('upload_contradicts');
  expect(await whyNot('a.webm', webmOf('V_AV1'))).toBe('upload_contradicts');
  expect(await whyNot('a.webm', webmOf())).toBe('upload_contradicts');
  expect(await whyNot('a.webm', latin1('\x1aE\xdf\xa3\x9fB\x82\x88matroska....A_OPUS'))).toBe(
    'upload_contradicts',
  );
  expect(await whyNot('a.ogg', webmOf('A_OPUS'))).toBe('upload_contradicts');
});
