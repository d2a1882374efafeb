import { expect, test } from 'vitest';
import { strategyOf } from '#web/service-worker/routing.ts';

const origin = 'https://kabari.example';
const files = ['/', '/favicon.svg'];
const strategy = (path: string, request: Partial<Parameters<typeof strategyOf>[0]> = {}) =>
  strategyOf(
    { method: 'GET', mode: 'cors', url: origin + path, partly: false, ...request },
    origin,
    files,
  );

test('fetches pages network first, at any address', () => {
  for (const path of ['/', '/message-history?view=percakapan', '/no-such-page'])
    expect(strategy(path, { mode: 'navigate' })).toBe('page');
});

test('serves hashed files from the cache', () => {
  expect(strategy('/assets/index-abc.js')).toBe('asset');
  expect(strategy('/favicon.svg')).toBe('file');
});

test('never touches the server’s paths', () => {
  for (const path of [
    '/api',
    '/api/uploads/1',
    '/v1/messages',
    '/files/fil_1',
    '/healthz',
    '/sw.js',
  ])
    for (const mode of ['cors', 'navigate']) expect(strategy(path, { mode })).toBe('leave');
  expect(strategy('/apit', { mode: 'navigate' })).toBe('page');
});

test('leaves changes, other sites, partial requests and unknown files alone', () => {
  expect(strategy('/', { method: 'POST', mode: 'navigate' })).toBe('leave');
  expect(strategy('/assets/voice.ogg', { partly: true })).toBe('leave');
  expect(strategy('/not-found.svg')).toBe('leave');
  expect(strategy('', { url: 'https://evil.example/assets/a.js' })).toBe('leave');
  expect(strategy('', { url: 'chrome-extension://abc/assets/a.js' })).toBe('leave');
});
