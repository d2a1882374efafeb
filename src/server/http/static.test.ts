import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { captchaSourcesOf } from '#server/infra/security/captcha-providers.ts';
import { readConfig } from '#server/infra/config.ts';
import { openStatic, readWebApp } from '#server/http/site.ts';

const theme = "document.documentElement.dataset.theme = 'dark';";
const page = `<!doctype html><script>${theme}</script><script type="module" src="/assets/a-1.js"></script>`;
const code = 'export const hello = 1;\n'.repeat(100);
let folder: string;
let app: FastifyInstance;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kabari-static-'));
  await mkdir(join(folder, 'assets'));
  await mkdir(join(folder, '.vite'));
  await mkdir(join(folder, 'sounds'));
  await writeFile(join(folder, 'index.html'), page);
  await writeFile(join(folder, 'assets/a-1.js'), code);
  await writeFile(join(folder, 'sounds/pesan.wav'), Buffer.alloc(2_000, 7));
  await writeFile(join(folder, '.vite/manifest.json'), '{}');
  app = Fastify();
  const deps = { apiOrigin: 'https://api.example', simulator: false, gallery: false };
  openStatic(app, await readWebApp(folder), deps);
  await app.ready();
});
afterAll(async () => {
  await app.close();
  await rm(folder, { recursive: true });
});

const get = (url: string, headers: Record<string, string> = {}) =>
  app.inject({ url, headers: { accept: 'text/html,*/*', ...headers } });

test('hashed files are cached for a year, the page is revalidated each time', async () => {
  const file = await get('/assets/a-1.js');
  expect(file.headers).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-type': 'text/javascript; charset=utf-8',
  });
  const index = await get('/');
  expect(index.headers).toMatchObject({
    'cache-control': 'no-cache',
    'content-type': 'text/html; charset=utf-8',
  });
  const again = await get('/', { 'if-none-match': String(index.headers['etag']) });
  expect(again.statusCode).toBe(304);
});

test('texts are compressed in an encoding that the browser accepts', async () => {
  const br = await get('/assets/a-1.js', { 'accept-encoding': 'gzip, deflate, br' });
  expect(br.headers['content-encoding']).toBe('br');
  expect(brotliDecompressSync(br.rawPayload).toString()).toBe(code);
  const gz = await get('/assets/a-1.js', { 'accept-encoding': 'gzip' });
  expect(gunzipSync(gz.rawPayload).toString()).toBe(code);
  expect((await get('/assets/a-1.js')).payload).toBe(code);
});

test("the page's policy allows its one inline script and no other", async () => {
  const policy = String((await get('/')).headers['content-security-policy']);
  const hash = createHash('sha256').update(theme).digest('base64');
  expect(policy).toContain(`script-src 'self' 'sha256-${hash}';`);
  expect(policy).toContain("connect-src 'self' https://api.example;");
  expect(policy).toContain("require-trusted-types-for 'script'");
  expect(policy).not.toMatch(/unsafe|\*|sha256.*sha256/);
});

test('a separate file origin is allowed, and no other', async () => {
  const local = Fastify();
  openStatic(local, await readWebApp(folder), {
    apiOrigin: undefined,
    mediaOrigin: 'https://berkas.example',
    simulator: false,
    gallery: false,
  });
  const { headers } = await local.inject({ url: '/auth/login' });
  const policy = String(headers['content-security-policy']);
  expect(policy).toContain("img-src 'self' blob: data: https://berkas.example;");
  expect(policy).toContain("media-src 'self' blob: https://berkas.example;");
  expect(policy.match(/berkas/g)).toHaveLength(2);
  await local.close();
});

test('a third-party captcha opens the policy for its own sources only', async () => {
  const config = readConfig({
    CAPTCHA_PROVIDER: 'turnstile',
    CAPTCHA_SITE_KEY: 'site-1',
    CAPTCHA_SECRET_KEY: 'secret-1',
  });
  const local = Fastify();
  openStatic(local, await readWebApp(folder), {
    apiOrigin: undefined,
    captcha: captchaSourcesOf(config),
    simulator: false,
    gallery: false,
  });
  const { headers } = await local.inject({ url: '/auth/login' });
  const policy = String(headers['content-security-policy']);
  expect(policy).toMatch(/script-src 'self' 'sha256-\S+' https:\/\/challenges\.cloudflare\.com;/);
  expect(policy).toContain('frame-src https://challenges.cloudflare.com;');
  expect(policy).toContain('trusted-types app captcha');
  expect(policy).toContain("connect-src 'self';");
  await local.close();

  const usual = String((await get('/')).headers['content-security-policy']);
  expect(usual).not.toMatch(/frame-src|captcha|cloudflare/);
  expect(captchaSourcesOf(readConfig({}))).toBeUndefined();
});

test('every screen gets the page; any other address too, with status 404', async () => {
  for (const path of [
    '/',
    '/auth/login',
    '/auth/forgot-password/otp',
    '/docs',
    '/scan/a.b-c_~9',
    '/token?page=2',
  ]) {
    expect(await get(path)).toMatchObject({ statusCode: 200, payload: page });
  }
  for (const path of ['/nowhere', '/auth/nowhere', '/simulator']) {
    expect(await get(path)).toMatchObject({ statusCode: 404, payload: page });
  }
});

test('the gallery has addresses outside production only', async () => {
  for (const path of ['/__galeri', '/__galeri/date-range-picker']) {
    expect(await get(path)).toMatchObject({ statusCode: 404, payload: page });
  }
  const local = Fastify();
  const deps = { apiOrigin: undefined, simulator: false, gallery: true };
  openStatic(local, await readWebApp(folder), deps);
  const statusOf = async (url: string) => (await local.inject({ url })).statusCode;
  expect(await statusOf('/__galeri')).toBe(200);
  expect(await statusOf('/__galeri/date-range-picker?x=1')).toBe(200);
  for (const path of ['/__galeri/', '/__galeri/a/b', '/__galeri/A', '/__galerix']) {
    expect(await statusOf(path)).toBe(404);
  }
  await local.close();
});

test("a missing file, or a program's request, is answered without a page", async () => {
  const asked = await Promise.all([
    get('/nowhere', { accept: 'application/json' }),
    get('/nowhere', { accept: '*/*' }),
    app.inject({ method: 'POST', url: '/nowhere' }),
  ]);
  for (const answer of asked) {
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toEqual({
      status: false,
      reason: 'input invalid',
      requestid: expect.any(Number),
    });
  }
  expect(await get('/assets/gone-2.js')).toMatchObject({
    statusCode: 404,
    payload: 'Tidak ditemukan.',
  });
});

test('no address reaches outside the folder or a hidden file', async () => {
  const odd = [
    '/../package.json',
    '/..%2fpackage.json',
    '/assets/..%2f..%2fpackage.json',
    '/.vite/manifest.json',
    '/%2evite/manifest.json',
    '/assets',
    '/index.html%00.js',
  ];
  for (const path of odd) {
    const answer = await get(path);
    expect(answer.statusCode).toBe(404);
    expect(answer.payload === page || answer.payload === 'Tidak ditemukan.').toBe(true);
  }
});

test('a scan link has few letters; anything else is not found, never an error', async () => {
  const odd = [
    'a b',
    '<script>',
    '%3Cscript%3E',
    '..%2f..',
    'x'.repeat(513),
    'x'.repeat(9_000),
    '%00',
    '',
    'a/b',
  ];
  for (const data of odd) expect((await get(`/scan/${data}`)).statusCode).toBe(404);
  const good = await get(`/scan/${'x'.repeat(512)}`);
  expect(good.statusCode).toBe(200);
  expect(good.headers['x-robots-tag']).toBe('noindex');
});

test('audio can be fetched in ranges, as players do', async () => {
  const part = await get('/sounds/pesan.wav', { range: 'bytes=0-99' });
  expect(part.statusCode).toBe(206);
  expect(part.headers['content-range']).toBe('bytes 0-99/2000');
  expect(part.rawPayload).toHaveLength(100);
  expect((await get('/sounds/pesan.wav', { range: 'bytes=1990-' })).rawPayload).toHaveLength(10);
  expect((await get('/sounds/pesan.wav', { range: 'bytes=9999-' })).statusCode).toBe(200);
});

test('without a build every address answers not found', async () => {
  const bare = Fastify();
  openStatic(bare, await readWebApp(join(folder, 'none')), {
    apiOrigin: undefined,
    simulator: true,
    gallery: true,
  });
  expect((await bare.inject({ url: '/' })).statusCode).toBe(404);
  await bare.close();
});
