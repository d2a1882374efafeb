import { expect, test } from 'vitest';
import { wayOf } from '#web/service-worker/routing.ts';

const origin = 'https://kabari.example';
const files = ['/', '/favicon.svg'];
const way = (path: string, asked: Partial<Parameters<typeof wayOf>[0]> = {}) =>
  wayOf(
    { method: 'GET', mode: 'cors', url: origin + path, partly: false, ...asked },
    origin,
    files,
  );

test('pages come from the network first, whatever their address', () => {
  for (const path of ['/', '/message-history?view=percakapan', '/no-such-page'])
    expect(way(path, { mode: 'navigate' })).toBe('page');
});

test('hashed files come from what is kept', () => {
  expect(way('/assets/index-abc.js')).toBe('asset');
  expect(way('/favicon.svg')).toBe('file');
});

test('what belongs to the server is never touched', () => {
  for (const path of [
    '/api',
    '/api/uploads/1',
    '/v1/messages',
    '/files/fil_1',
    '/healthz',
    '/sw.js',
  ])
    for (const mode of ['cors', 'navigate']) expect(way(path, { mode })).toBe('leave');
  expect(way('/apit', { mode: 'navigate' })).toBe('page');
});

test('changes, other sites, parts of files and unknown files are left alone', () => {
  expect(way('/', { method: 'POST', mode: 'navigate' })).toBe('leave');
  expect(way('/assets/voice.ogg', { partly: true })).toBe('leave');
  expect(way('/not-found.svg')).toBe('leave');
  expect(way('', { url: 'https://evil.example/assets/a.js' })).toBe('leave');
  expect(way('', { url: 'chrome-extension://abc/assets/a.js' })).toBe('leave');
});
