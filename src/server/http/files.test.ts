import { expect } from 'vitest';
import { type UploadsApp, noise, test } from '#tests/support/app/uploads-app.ts';

async function served(app: UploadsApp, accountId: string, name: string, bytes: Buffer) {
  const { fileId } = await app.files.save({ accountId, name, bytes });
  const url = `${app.origin}${app.files.link(accountId, fileId)}`;
  return (headers: Record<string, string> = {}, method = 'GET') => fetch(url, { headers, method });
}

const mp4 = Buffer.concat([Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isom', 'latin1'), noise(5_000)]);

test('serves a player any range of a video, the last bytes, or all of it', async ({
  openUploadsApp,
  ani,
}) => {
  const ask = await served(await openUploadsApp(), ani.accountId, 'iklan.mp4', mp4);
  const size = mp4.length;
  const all = await ask();
  expect(all.headers.get('accept-ranges')).toBe('bytes');
  expect(all.headers.get('content-type')).toBe('video/mp4');
  expect(all.headers.get('content-disposition')).toMatch(/^inline/);
  expect(Buffer.from(await all.arrayBuffer())).toEqual(mp4);

  const spans: [string, number, number][] = [
    ['bytes=0-0', 0, 0],
    ['bytes=100-199', 100, 199],
    [`bytes=${size - 10}-`, size - 10, size - 1],
    ['bytes=-25', size - 25, size - 1],
    ['bytes=4000-999999', 4_000, size - 1],
  ];
  for (const [range, start, end] of spans) {
    const part = await ask({ range });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe(`bytes ${start}-${end}/${size}`);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(mp4.subarray(start, end + 1));
  }
});

test('a range beyond the file is 416; an invalid or multiple range gets the whole file', async ({
  openUploadsApp,
  ani,
}) => {
  const ask = await served(await openUploadsApp(), ani.accountId, 'iklan.mp4', mp4);
  for (const range of [`bytes=${mp4.length}-`, 'bytes=-0']) {
    const beyond = await ask({ range });
    expect(beyond.status).toBe(416);
    expect(beyond.headers.get('content-range')).toBe(`bytes */${mp4.length}`);
  }
  for (const range of ['bytes=5-2', 'bytes=0-1,5-6', 'pages=1-2', 'bytes=-', 'bytes=a-b']) {
    const whole = await ask({ range });
    expect(whole.status).toBe(200);
    await whole.arrayBuffer();
  }
  const etag = (await ask({}, 'HEAD')).headers.get('etag') ?? '';
  expect((await ask({ range: 'bytes=0-9', 'if-range': etag })).status).toBe(206);
  expect((await ask({ range: 'bytes=0-9', 'if-range': '"another"' })).status).toBe(200);
});

test('HEAD describes a file without sending it', async ({ openUploadsApp, ani }) => {
  const ask = await served(await openUploadsApp(), ani.accountId, 'iklan.mp4', mp4);
  const head = await ask({}, 'HEAD');
  expect(head.status).toBe(200);
  expect(head.headers.get('content-length')).toBe(String(mp4.length));
  expect((await head.arrayBuffer()).byteLength).toBe(0);
});

test('files other than images, audio and video are downloads of unknown type', async ({
  openUploadsApp,
  ani,
}) => {
  const app = await openUploadsApp();
  for (const [name, text] of [
    ['a.svg', '<svg onload=alert(1)>'],
    ['a.html', '<!doctype html><script>alert(1)</script>'],
    ['a.pdf', '%PDF-1.7 %%EOF'],
    ['a.js', 'alert(1)'],
  ] as const) {
    const given = await (await served(app, ani.accountId, name, Buffer.from(text)))();
    expect(given.headers.get('content-type')).toBe('application/octet-stream');
    expect(given.headers.get('content-disposition')).toBe(`attachment; filename*=UTF-8''${name}`);
    expect(given.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
    expect(given.headers.get('x-content-type-options')).toBe('nosniff');
    await given.arrayBuffer();
  }
});
