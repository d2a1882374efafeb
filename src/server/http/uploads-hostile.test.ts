import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import sharp from 'sharp';
import { expect } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { CHUNK_TYPE, UPLOAD_PATH } from '#contract/uploads.ts';
import { formWith, movingPicture, noise, pdfOf, test } from '#tests/support/app/uploads-app.ts';
import type { NamedFile } from '#tests/support/hostile/file-form.ts';
import {
  badNames,
  disguises,
  isServedSafely,
  polyglots,
  zipOf,
} from '#tests/support/hostile/hostile-files.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');

/** One person may send six bodies at once. */
const AT_ONCE = 5;

test('none of more than sixty hostile files is served in a form that runs', async ({
  openUploadsApp,
  ani,
}) => {
  const app = await openUploadsApp({ openBytesMax: 2_000_000_000 });
  const zero = { name: 'kosong.png', type: 'image/png', bytes: '' };
  const hostile = [...(await polyglots()), ...disguises(), ...(await badNames()), zero];
  expect(hostile.length).toBeGreaterThan(60);
  const troubled: string[] = [];
  let kept = 0;
  const sendAndFetch = async (file: NamedFile) => {
    const posted = await app.post(ani.token, file);
    const said = await posted.text();
    expect([200, 400, 413, 415, 422]).toContain(posted.status);
    if (posted.status !== 200) return;
    kept += 1;
    const given = await app.ask(ani.token, 'GET', { query: `?restore=${said}` });
    if (!(await isServedSafely(given)))
      troubled.push(`${JSON.stringify(file.name)} as ${file.type}`);
    await app.ask(ani.token, 'DELETE', { body: said });
  };
  for (let at = 0; at < hostile.length; at += AT_ONCE) {
    await Promise.all(hostile.slice(at, at + AT_ONCE).map(sendAndFetch));
  }
  expect(troubled).toEqual([]);
  expect(kept).toBeGreaterThan(20);
  expect(await readdir(join(app.dataFolder, 'uploads'))).toEqual([]);
});

test('files are written only in the upload folder, and never under their own names', async ({
  openUploadsApp,
  ani,
}) => {
  const app = await openUploadsApp();
  for (const file of await badNames()) await app.post(ani.token, file);
  const lying = await readdir(app.dataFolder, { recursive: true, withFileTypes: true });
  const files = lying.filter((one) => one.isFile()).map(({ name }) => name);
  expect(files.every((name) => /^[0-9a-f]{64}$/.test(name))).toBe(true);
});

test('decompression bombs are refused quickly, without a rise in memory', async ({
  openUploadsApp,
  ani,
}) => {
  const app = await openUploadsApp();
  const giant = await sharp({
    create: { width: 8_000, height: 8_000, channels: 3, background: '#123' },
    limitInputPixels: false,
  })
    .png()
    .toBuffer();
  const moving = await movingPicture(200);
  const gif = Buffer.concat([latin1('GIF89a'), noise(4_000_000)]);
  const bomb = await zipOf({ 'nol.bin': Buffer.alloc(60_000_000) });
  const bombs: NamedFile[] = [
    { name: 'raksasa.png', bytes: giant },
    { name: 'bergerak.webp', bytes: moving },
    { name: 'bergerak.gif', bytes: gif },
    { name: 'bom.zip', bytes: bomb },
    { name: 'bom.xlsx', bytes: bomb },
  ];
  const before = process.memoryUsage.rss();
  for (const file of bombs) {
    const began = process.cpuUsage();
    const { status } = await app.post(ani.token, file);
    const { user, system } = process.cpuUsage(began);
    expect([file.name, status >= 400 && status < 500]).toEqual([file.name, true]);
    expect([file.name, (user + system) / 1_000_000 < 10]).toEqual([file.name, true]);
  }
  expect(process.memoryUsage.rss() - before).toBeLessThan(200_000_000);
});

async function stalling(
  port: number,
  { token, id, length }: { token: string; id: string; length: number },
): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let heard = '';
  socket.setEncoding('latin1').on('data', (more: string) => (heard += more));
  socket.on('error', () => undefined);
  socket.write(
    `PATCH ${UPLOAD_PATH}?patch=${id} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: ${CHUNK_TYPE}\r\nContent-Length: ${length}\r\n` +
      `Upload-Offset: 0\r\nUpload-Length: ${length}\r\nUpload-Name: a.pdf\r\n\r\n%PDF-1.7`,
  );
  await once(socket, 'close');
  return heard;
}

test('a stalled body is cut off with 408 and leaves nothing', async ({ openUploadsApp, ani }) => {
  const app = await openUploadsApp({
    pace: { bytesPerSecond: 100_000, windowMs: 200, deadlineMs: 60_000 },
  });
  const length = 1_000_000;
  const id = await (await app.begin(ani.token, length)).text();
  const heard = await stalling(app.port, { token: ani.token, id, length });
  expect(heard).toMatch(/^HTTP\/1\.1 408 /);
  expect(heard).toContain('upload_too_slow');
  const head = await app.ask(ani.token, 'HEAD', { query: `?patch=${id}` });
  expect(head.headers.get('upload-offset')).toBe('0');
  // The partial body is deleted as soon as its connection has closed.
  const lying = () => readdir(join(app.dataFolder, 'uploads'), { recursive: true });
  await waitFor(async () => expect((await lying()).length).toBe(1));
});

/** Ninety megabytes without a buffer: a PDF of zeros, a megabyte at a time. */
async function* longPdf(late: () => Promise<void>): AsyncGenerator<Uint8Array> {
  const form = formWith({ name: 'besar.pdf', bytes: '%PDF-1.7\n' }, {}).body.toString();
  const end = form.lastIndexOf('\r\n--');
  yield Buffer.from(form.slice(0, end));
  for (let at = 0; at < 90; at++) {
    if (at === 80) await late();
    yield Buffer.alloc(1_000_000);
  }
  yield Buffer.from(`\n%%EOF\n${form.slice(end)}`);
}

setFlagsFromString('--expose_gc');
const collect = runInNewContext('gc') as () => void;

/** The reachable bytes of this process outside the JavaScript heap. */
function held(): number {
  collect();
  return process.memoryUsage().arrayBuffers;
}

async function bytesBelow(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = files
    .filter((file) => file.isFile())
    .map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

test('ninety megabytes in one piece are streamed, never held in memory', async ({
  openUploadsApp,
  ani,
}) => {
  const app = await openUploadsApp();
  await app.post(ani.token, { name: 'pemanasan.pdf', bytes: pdfOf(1_000_000) });
  const before = held();
  // The last ten megabytes come once most of the others are on disk and their buffers are released.
  const late = () =>
    waitFor(async () => {
      expect(await bytesBelow(join(app.dataFolder, 'uploads'))).toBeGreaterThan(75_000_000);
      expect(held() - before).toBeLessThan(20_000_000);
    });
  const posted = await fetch(`${app.origin}${UPLOAD_PATH}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ani.token}`, 'content-type': formWith(undefined, {}).type },
    body: Readable.toWeb(Readable.from(longPdf(late))),
    duplex: 'half',
  });
  expect([posted.status, posted.ok ? '' : await posted.text()]).toEqual([200, '']);
  const query = `?load=${await posted.text()}`;
  const tail = await app.ask(ani.token, 'GET', { query, headers: { range: 'bytes=-6' } });
  expect(tail.status).toBe(206);
  expect(await tail.text()).toBe('%%EOF\n');
});

test('an endless body is cut at the limit of its purpose', async ({ openUploadsApp, ani }) => {
  const app = await openUploadsApp();
  const socket = connect(app.port, '127.0.0.1');
  let heard = '';
  let written = 0;
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.setEncoding('latin1').on('data', (more: string) => (heard += more));
  socket.on('error', () => undefined);
  const { body, type } = formWith({ name: 'a.pdf', bytes: '%PDF-1.7\n' }, { purpose: 'proof' });
  socket.write(
    `POST ${UPLOAD_PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ani.token}\r\n` +
      `Content-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  const chunked = (bytes: Buffer) =>
    Buffer.concat([latin1(`${bytes.length.toString(16)}\r\n`), bytes, latin1('\r\n')]);
  socket.write(chunked(body.subarray(0, body.lastIndexOf('\r\n--'))));
  while (!socket.destroyed && written < 1_000_000_000) {
    written += 1_000_000;
    if (!socket.write(chunked(Buffer.alloc(1_000_000)))) {
      await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed]);
    }
  }
  await closed;
  // A sender that never reads may miss it; otherwise it gets 413.
  expect(heard).toMatch(/^$|^HTTP\/1\.1 413 /);
  expect(written).toBeLessThan(60_000_000);
  await waitFor(async () => expect(await readdir(join(app.dataFolder, 'uploads'))).toEqual([]));
});
