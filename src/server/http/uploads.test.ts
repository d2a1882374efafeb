import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect } from 'vitest';
import { CHUNK_BYTES, CHUNK_TYPE, UPLOAD_PATH } from '#contract/uploads.ts';
import {
  type UploadsApp,
  noise,
  pdfOf,
  picture,
  responseTo,
  test,
} from '#tests/support/app/uploads-app.ts';
import { changeAccounts } from '#tests/support/people/people.ts';

const upl = /^upl_[0-9A-HJKMNP-TV-Z]{26}$/;
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

async function lying({ dataFolder }: UploadsApp): Promise<string[]> {
  const found = await readdir(dataFolder, { recursive: true, withFileTypes: true });
  return found.filter((one) => one.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

test('a file in one piece is stored, returned as a download, and deleted', async ({
  openUploadsApp,
  ani,
}) => {
  const app = await openUploadsApp();
  const bytes = pdfOf(40_000);
  const posted = await app.post(ani.token, {
    name: 'laporan besar.pdf',
    type: 'application/pdf',
    bytes,
  });
  expect(posted.status).toBe(200);
  expect(posted.headers.get('content-type')).toMatch(/^text\/plain/);
  expect(posted.headers.get('cache-control')).toBe('no-store');
  const id = await posted.text();
  expect(id).toMatch(upl);

  for (const query of [`?restore=${id}`, `?load=${id}`]) {
    const given = await app.ask(ani.token, 'GET', { query });
    expect(given.status).toBe(200);
    expect(given.headers.get('x-content-transfer-id')).toBe(id);
    expect(given.headers.get('content-disposition')).toBe(
      "attachment; filename*=UTF-8''laporan%20besar.pdf",
    );
    expect(given.headers.get('content-type')).toBe('application/octet-stream');
    expect(await bytesOf(given)).toEqual(bytes);
  }
  expect((await lying(app)).length).toBe(1);
  expect((await app.ask(ani.token, 'DELETE', { body: id })).status).toBe(204);
  expect((await app.ask(ani.token, 'GET', { query: `?restore=${id}` })).status).toBe(404);
  expect(await lying(app)).toEqual([]);
});

test('12 MB in three pieces survive a broken connection, and continue at the offset of HEAD', async ({
  openUploadsApp,
  ani,
}) => {
  const app = await openUploadsApp();
  const bytes = pdfOf(12_000_000);
  const name = 'Rekap – 2026 “final”.pdf';
  const begun = await app.begin(ani.token, bytes.length, { type: 'application/pdf' });
  const id = await begun.text();
  expect(id).toMatch(upl);
  const piece = (offset: number) =>
    app.patch(ani.token, id, {
      offset,
      length: bytes.length,
      name,
      bytes: bytes.subarray(offset, offset + CHUNK_BYTES),
    });
  const head = async () => {
    const answer = await app.ask(ani.token, 'HEAD', { query: `?patch=${id}` });
    return Number(answer.headers.get('upload-offset'));
  };
  expect((await piece(0)).status).toBe(204);

  const half = bytes.subarray(CHUNK_BYTES, CHUNK_BYTES + 2_000_000);
  await breakOff(app, ani.token, id, { offset: CHUNK_BYTES, length: bytes.length, half });
  expect(await head()).toBe(CHUNK_BYTES);

  expect((await piece(CHUNK_BYTES)).headers.get('upload-offset')).toBe('10000000');
  expect((await piece(2 * CHUNK_BYTES)).status).toBe(204);
  expect(await head()).toBe(12_000_000);
  // Its response was lost, so it is sent again, but written only once.
  expect((await piece(2 * CHUNK_BYTES)).status).toBe(204);

  const given = await app.ask(ani.token, 'GET', { query: `?restore=${id}` });
  expect(hashOf(await bytesOf(given))).toBe(hashOf(bytes));
  expect(given.headers.get('content-disposition')).toContain(
    encodeURIComponent('Rekap – 2026 “final”.pdf'),
  );
  expect((await lying(app)).length).toBe(1);
});

async function breakOff(
  { port }: UploadsApp,
  token: string,
  id: string,
  { offset, length, half }: { offset: number; length: number; half: Buffer },
): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    `PATCH ${UPLOAD_PATH}?patch=${id} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: ${CHUNK_TYPE}\r\nContent-Length: ${CHUNK_BYTES}\r\n` +
      `Upload-Offset: ${offset}\r\nUpload-Length: ${length}\r\nUpload-Name: x.pdf\r\n\r\n`,
  );
  await new Promise((resolve) => socket.write(half, resolve));
  socket.destroy();
  await once(socket, 'close');
}

test('a length that is a multiple of the piece size ends with an empty piece', async ({
  openUploadsApp,
  ani,
}) => {
  const app = await openUploadsApp();
  const bytes = pdfOf(2 * CHUNK_BYTES);
  const id = await (await app.begin(ani.token, bytes.length)).text();
  const about = { length: bytes.length, name: 'tepat.pdf' };
  for (const offset of [0, CHUNK_BYTES, 2 * CHUNK_BYTES]) {
    const more = bytes.subarray(offset, offset + CHUNK_BYTES);
    const answer = await app.patch(ani.token, id, { ...about, offset, bytes: more });
    expect(answer.status).toBe(204);
  }
  const given = await app.ask(ani.token, 'GET', { query: `?restore=${id}` });
  expect(hashOf(await bytesOf(given))).toBe(hashOf(bytes));
});

test('of two writers at the same offset one wins, and the file has its bytes', async ({
  openUploadsApp,
  ani,
}) => {
  const app = await openUploadsApp();
  const length = 6_000_000;
  const first = pdfOf(length, 1).subarray(0, 3_000_000);
  const ends = [11, 12, 13].map((seed) => pdfOf(length, seed).subarray(3_000_000));
  const id = await (await app.begin(ani.token, length)).text();
  const about = { length, name: 'rebutan.pdf' };
  await app.patch(ani.token, id, { ...about, offset: 0, bytes: first });
  const answers = await Promise.all(
    ends.map((bytes) => app.patch(ani.token, id, { ...about, offset: 3_000_000, bytes })),
  );
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 409, 409]);
  const winner = ends[answers.findIndex(({ status }) => status === 204)] ?? Buffer.of();
  const given = await app.ask(ani.token, 'GET', { query: `?restore=${id}` });
  expect(hashOf(await bytesOf(given))).toBe(hashOf(Buffer.concat([first, winner])));
});

test('a wrong offset, a wrong total and too many bytes are refused with the correct value', async ({
  openUploadsApp,
  ani,
}) => {
  const app = await openUploadsApp();
  const bytes = pdfOf(200_000);
  const id = await (await app.begin(ani.token, bytes.length)).text();
  const about = { name: 'a.pdf', length: bytes.length };
  const ahead = await app.patch(ani.token, id, { ...about, offset: 50_000, bytes });
  expect(ahead.headers.get('upload-offset')).toBe('0');
  expect(await responseTo(ahead)).toMatchObject({ status: 409, type: 'upload_offset_wrong' });
  const other = await app.patch(ani.token, id, { ...about, length: 9, offset: 0, bytes });
  expect(await responseTo(other)).toMatchObject({ status: 409, type: 'upload_length_wrong' });
  const long = Buffer.concat([bytes, bytes]);
  const more = await app.patch(ani.token, id, { ...about, offset: 0, bytes: long });
  expect(await responseTo(more)).toMatchObject({ status: 409, type: 'upload_length_wrong' });
  expect((await app.patch(ani.token, id, { ...about, offset: 0, bytes })).status).toBe(204);
});

test("another person's upload is not found, for every verb", async ({
  openUploadsApp,
  ani,
  budi,
}) => {
  const app = await openUploadsApp();
  const bytes = pdfOf(1_000);
  const id = await (await app.post(ani.token, { name: 'a.pdf', bytes })).text();
  const begun = await (await app.begin(ani.token, 1_000)).text();
  const answers = [
    await app.ask(budi.token, 'GET', { query: `?restore=${id}` }),
    await app.ask(budi.token, 'GET', { query: `?load=${id}` }),
    await app.ask(budi.token, 'HEAD', { query: `?patch=${begun}` }),
    await app.patch(budi.token, begun, { offset: 0, length: 1_000, name: 'a.pdf', bytes }),
    await app.ask(budi.token, 'DELETE', { body: id }),
    await app.ask(budi.token, 'DELETE', { body: '../../etc/passwd' }),
    await app.ask(budi.token, 'GET', { query: '?restore=..%2f..%2fetc%2fpasswd' }),
  ];
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
  expect((await app.ask(ani.token, 'GET', { query: `?restore=${id}` })).status).toBe(200);
});

test('every verb requires a session; an address holds one upload’s id and nothing else', async ({
  openUploadsApp,
  ani,
}) => {
  const app = await openUploadsApp();
  const file = { name: 'a.pdf', bytes: pdfOf(1_000) };
  const id = await (await app.post(ani.token, file)).text();
  for (const token of [undefined, 'kbs_x', `kbs_${'A'.repeat(43)}`]) {
    expect((await app.post(token, file)).status).toBe(401);
    for (const [verb, sent] of [
      ['GET', { query: `?restore=${id}` }],
      ['HEAD', { query: `?patch=${id}` }],
      ['DELETE', { body: id }],
      ['PATCH', { query: `?patch=${id}`, headers: { 'content-type': CHUNK_TYPE }, body: 'x' }],
    ] as const) {
      expect((await app.ask(token, verb, sent)).status).toBe(401);
    }
  }
  for (const query of [
    '',
    `?restore=${id}&token=${ani.token}`,
    '?token=kbs_x',
    '?restore=a&restore=b',
  ]) {
    const said = await responseTo(await app.ask(ani.token, 'GET', { query }));
    expect(said).toMatchObject({ status: 400, type: 'request_malformed' });
  }
  const fetched = await app.ask(ani.token, 'GET', { query: '?fetch=http://169.254.169.254/' });
  expect((await responseTo(fetched)).msg).toContain('berkas dari alamat lain tidak diambil');
});

test('a suspended person may upload for customer service only', async ({
  openUploadsApp,
  db,
  ani,
}) => {
  const app = await openUploadsApp();
  await changeAccounts(db.allAccountsSql, ani, { status: 'suspended' });
  const file = { name: 'nota.pdf', type: 'application/pdf', bytes: pdfOf(4_000) };
  expect((await app.post(ani.token, file, { purpose: 'chat' })).status).toBe(200);
  const refused = await app.post(ani.token, file, { purpose: 'avatar' });
  expect(refused.status).toBe(423);
});

test('an avatar becomes an upright square of 512 pixels without metadata', async ({
  openUploadsApp,
  ani,
}) => {
  const app = await openUploadsApp();
  const red = { create: { width: 600, height: 400, channels: 3 as const, background: '#c00' } };
  const blue = await sharp({ create: { ...red.create, width: 300, background: '#00c' } })
    .png()
    .toBuffer();
  const half = await sharp(red)
    .composite([{ input: blue, left: 0, top: 0 }])
    .png()
    .toBuffer();
  const bytes = await sharp(half)
    .jpeg()
    .withExif({ IFD0: { Copyright: '<script>alert(1)</script>' } })
    // Rotated to the right: the left of the stored pixels is shown at the top.
    .withMetadata({ orientation: 6 })
    .toBuffer();
  const crop = { x: 0, y: 0, width: 1, height: 0.4 };
  const file = { name: 'saya.JPG', type: 'image/jpeg', bytes };
  const posted = await app.post(ani.token, file, { purpose: 'avatar', crop });
  const id = await posted.text();
  const given = await app.ask(ani.token, 'GET', { query: `?restore=${id}` });
  expect(given.headers.get('content-type')).toBe('image/webp');
  expect(given.headers.get('content-disposition')).toBe("inline; filename*=UTF-8''saya.webp");
  const drawn = await bytesOf(given);
  const facts = await sharp(drawn).metadata();
  expect(facts).toMatchObject({ width: 512, height: 512, format: 'webp' });
  expect(facts.exif).toBeUndefined();
  expect(drawn.includes('script')).toBe(false);
  const { dominant } = await sharp(drawn).stats();
  expect(dominant.b).toBeGreaterThan(150);
  expect(dominant.r).toBeLessThan(60);
});

test('an image is re-encoded, upright, and nothing of the original file remains', async ({
  openUploadsApp,
  ani,
}) => {
  const app = await openUploadsApp();
  const bytes = await sharp(await picture('jpeg'))
    .withExif({ IFD0: { Copyright: 'RAHASIA-GPS' } })
    .withMetadata({ orientation: 6 })
    .toBuffer();
  expect(bytes.includes('RAHASIA-GPS') || (await sharp(bytes).metadata()).exif).toBeTruthy();
  const file = { name: 'toko.jpg', type: 'image/jpeg', bytes };
  const id = await (await app.post(ani.token, file, { purpose: 'proof' })).text();
  const given = await bytesOf(await app.ask(ani.token, 'GET', { query: `?restore=${id}` }));
  expect(await sharp(given).metadata()).toMatchObject({ width: 200, height: 320, format: 'jpeg' });
  expect(given.includes('RAHASIA-GPS')).toBe(false);
});

test('a file of the wrong type or size is refused in plain words', async ({
  openUploadsApp,
  ani,
}) => {
  const app = await openUploadsApp();
  const jpeg = await picture('jpeg');
  const pdf = pdfOf(1_000);
  const said = async (file: Parameters<typeof app.post>[1], purpose: string) =>
    responseTo(await app.post(ani.token, file, { purpose }));
  expect(await said({ name: 'a.pdf', bytes: pdf }, 'avatar')).toMatchObject({
    status: 415,
    msg: 'Jenis berkas ini tidak diterima di sini. Pilih berkas JPG, PNG, WEBP.',
  });
  expect(await said({ name: 'a.jpg', bytes: pdf }, 'proof')).toMatchObject({
    status: 422,
    type: 'upload_contradicts',
    msg: expect.stringContaining('Isi berkas ini tidak sesuai'),
  });
  expect(await said({ name: 'a.jpg', type: 'image/png', bytes: jpeg }, 'proof')).toMatchObject({
    type: 'upload_contradicts',
  });
  expect(await said({ name: 'a.jpg', bytes: noise(5_100_000) }, 'avatar')).toMatchObject({
    status: 413,
    msg: 'Berkas terlalu besar. Paling besar 5 MB.',
  });
  expect(await said({ name: 'a.pdf', bytes: '' }, 'proof')).toMatchObject({ type: 'upload_empty' });
  expect(await lying(app)).toEqual([]);
});

test('an upload refused in pieces stays refused, with the same reason, and leaves no bytes', async ({
  openUploadsApp,
  ani,
}) => {
  const app = await openUploadsApp();
  const bytes = noise(2_000_000);
  const id = await (await app.begin(ani.token, 4_000_000, { purpose: 'proof' })).text();
  const piece = { offset: 0, length: 4_000_000, name: 'bukti.pdf', bytes };
  for (let tries = 0; tries < 2; tries++) {
    const answer = await app.patch(ani.token, id, piece);
    expect(await responseTo(answer)).toMatchObject({ status: 422, type: 'upload_contradicts' });
  }
  expect(await lying(app)).toEqual([]);
  expect((await app.ask(ani.token, 'DELETE', { body: id })).status).toBe(204);
});
