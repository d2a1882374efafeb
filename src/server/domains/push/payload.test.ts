import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PushPayload } from '#contract/push.ts';
import {
  resultOf,
  noticePayload,
  payloadOf,
  createCircuitBreaker,
  waitAfter,
} from '#server/domains/push/delivery.ts';
import { serviceOf } from '#server/domains/push/subscriptions.ts';

const news = {
  messageId: '01890000-0000-7000-8000-000000000001',
  tokenId: '01890000-0000-7000-8000-000000000002',
  peer: '6281234567890',
  peerName: null as string | null,
  text: undefined as string | undefined,
  unread: 3,
};

test('names the sender with the number beside it, and keeps the direction of the writing', () => {
  expect(payloadOf(news, undefined).notification).toEqual({
    title: 'Pesan baru dari +62 812-3456-7890',
    body: 'Pesan baru',
    icon: '/favicon-192.png',
    navigate: payloadOf(news, undefined).data.url,
    app_badge: '3',
  });
  const odd = payloadOf({ ...news, peerName: '\u202eidub\u0000\n\u2066 \u200b' }, undefined);
  expect(odd.notification.title).toBe('Pesan baru dari idub (+62 812-3456-7890)');
  const nothing = payloadOf({ ...news, peerName: '\u200b\u202e ' }, undefined);
  expect(nothing.notification.title).toBe('Pesan baru dari +62 812-3456-7890');
});

test('a right-to-left name leaves the words around it in order', () => {
  const { notification } = payloadOf({ ...news, peerName: 'محمد\u202e' }, undefined);
  expect(notification.title).toBe('Pesan baru dari \u2068محمد\u2069 (+62 812-3456-7890)');
  const notice = { title: '\u2068محمد\u2069 menulis\u202e', body: 'Buka', url: '/', tag: 'a' };
  expect(noticePayload(notice, undefined).notification.title).toBe('\u2068محمد\u2069 menulis');
});

test('cuts long names and texts between letters, with an ellipsis', () => {
  const long = payloadOf({ ...news, peerName: '👩🏽‍🚀'.repeat(80), text: 'a'.repeat(400) }, undefined);
  expect(long.notification.title).toMatch(/^Pesan baru dari (👩🏽‍🚀)+… \(\+62 812-3456-7890\)$/u);
  expect(long.notification.body).toBe(`${'a'.repeat(239)}…`);
  const fits = payloadOf({ ...news, text: 'a'.repeat(240) }, undefined);
  expect(fits.notification.body).toBe('a'.repeat(240));
});

test('a notice has its shape and is smaller than 3.8 kB for any input', () => {
  const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 300 });
  const words = units.map((codes) => String.fromCharCode(...codes));
  const worst = fc.constantFrom('"'.repeat(5_000), '\u0007'.repeat(5_000), '\ud800'.repeat(5_000));
  fc.assert(
    fc.property(fc.oneof(words, worst), fc.oneof(words, worst), (peerName, text) => {
      const payload = payloadOf({ ...news, peerName, text }, 'https://kabari.example');
      expect(PushPayload().safeParse(payload).success).toBe(true);
      expect(Buffer.byteLength(JSON.stringify(payload))).toBeLessThan(3_800);
    }),
    { numRuns: 60 },
  );
});

test('maps each answer of a push service to one meaning', () => {
  const outcomes = [201, 200, 404, 410, 413, 429, 500, 503, 401, 403, 400, 302, 100].map(
    (status) => `${status} ${resultOf(status).outcome}`,
  );
  expect(outcomes).toEqual([
    '201 taken',
    '200 taken',
    '404 gone',
    '410 gone',
    '413 too_large',
    '429 later',
    '500 later',
    '503 later',
    '401 later',
    '403 later',
    '400 refused',
    '302 refused',
    '100 refused',
  ]);
  expect(resultOf(429, '7').waitMs).toBe(7_000);
  expect(resultOf(429, '999999').waitMs).toBe(3_600_000);
  expect(resultOf(503, 'Fri, 21 Nov 2025 12:00:00 GMT').waitMs).toBe(0);
  expect(resultOf(503, 'soon').waitMs).toBeUndefined();
});

test('doubles the wait from 2 s up to five minutes', () => {
  expect([1, 2, 3, 8, 9, 40].map((attempt) => waitAfter(attempt, 0.5))).toEqual([
    2_000, 4_000, 8_000, 256_000, 300_000, 300_000,
  ]);
});

test('rests a service after three failures, then tries one notice at a time', () => {
  let nowMs = 0;
  const circuitBreaker = createCircuitBreaker(() => nowMs);
  const fail = () => {
    circuitBreaker.started('a');
    circuitBreaker.finished('a', true);
  };
  for (let n = 0; n < 4; n++) circuitBreaker.started('b');
  expect(circuitBreaker.blocked()).toEqual(['b']);
  circuitBreaker.finished('b', false);
  fail();
  fail();
  expect(circuitBreaker.blocked()).toEqual([]);
  fail();
  expect(circuitBreaker.blocked()).toEqual(['a']);
  nowMs += 2_000;
  expect(circuitBreaker.blocked()).toEqual([]);
  circuitBreaker.started('a');
  expect(circuitBreaker.blocked()).toEqual(['a']);
  circuitBreaker.finished('a', true);
  nowMs += 3_999;
  expect(circuitBreaker.blocked()).toEqual(['a']);
  nowMs += 1;
  circuitBreaker.started('a');
  circuitBreaker.finished('a', false);
  circuitBreaker.started('a');
  expect(circuitBreaker.blocked()).toEqual([]);
});

test('matches a push service by its whole name', () => {
  const listed = ['http://127.0.0.1:4000'];
  expect(serviceOf('https://fcm.googleapis.com/fcm/send/x', [])).toBe('fcm.googleapis.com');
  expect(serviceOf('https://web.push.apple.com/x', [])).toBe('*.push.apple.com');
  expect(serviceOf('http://127.0.0.1:4000/x', listed)).toBe('http://127.0.0.1:4000');
  for (const other of [
    'http://127.0.0.1:4001/x',
    'https://push.apple.com/x',
    'https://x.fcm.googleapis.com/x',
    'https://apple.com/x',
    'nonsense',
  ]) {
    expect(serviceOf(other, listed)).toBeUndefined();
  }
});
