import sharp from 'sharp';
import { expect } from 'vitest';
import { type RunningApp, signedIn, test } from './support/app/running-app.ts';

const own = 'http://kabari.example';
const media = 'http://berkas.example';

async function picture({ container }: RunningApp, accountId: string): Promise<URL> {
  const create = { width: 8, height: 8, channels: 3, background: '#0f766e' } as const;
  const bytes = await sharp({ create }).png().toBuffer();
  const { fileId } = await container.media.files.save({ accountId, name: 'toko.png', bytes });
  return new URL(container.media.files.link(accountId, fileId), own);
}

const look = async ({ app }: RunningApp, { pathname, search }: URL, host: string) =>
  app.inject({ url: pathname + search, headers: { host, accept: '*/*' } });

test('serves files only at their own address if one is set', async ({ db, openApp }) => {
  const running = await openApp({ env: { PUBLIC_URL: own, MEDIA_ORIGIN: media } });
  const { accountId } = await signedIn(db);
  const url = await picture(running, accountId);
  expect(url.origin).toBe(media);
  const shown = await look(running, url, 'berkas.example');
  expect(shown.statusCode).toBe(200);
  expect(shown.headers).toMatchObject({
    'content-type': 'image/png',
    'content-security-policy': "sandbox; default-src 'none'",
    // The portal may show it; access is by its signed address.
    'cross-origin-resource-policy': 'cross-origin',
  });
  expect((await look(running, url, 'kabari.example')).statusCode).toBe(404);
  for (const path of [
    '/',
    '/auth/login',
    '/sw.js',
    '/v1/balance',
    '/livez',
    '/exports/x',
    '/row-exports/x',
    '//files/x',
  ]) {
    const there = await look(running, new URL(media + path), 'berkas.example');
    expect([path, there.statusCode, there.body]).toEqual([path, 404, 'Tidak ditemukan.']);
  }
  const headers = { host: 'berkas.example', 'content-type': 'application/x-www-form-urlencoded' };
  const act = { method: 'POST', url: '/api', headers, payload: 'act=app_config' } as const;
  expect((await running.app.inject(act)).statusCode).toBe(404);
});

test('serves files under the portal’s address without one', async ({ db, openApp }) => {
  const running = await openApp({ env: { PUBLIC_URL: own } });
  const { accountId } = await signedIn(db);
  const url = await picture(running, accountId);
  expect(url.origin).toBe(own);
  const shown = await look(running, url, 'kabari.example');
  expect(shown.statusCode).toBe(200);
  expect(shown.headers['cross-origin-resource-policy']).toBe('same-origin');
});
