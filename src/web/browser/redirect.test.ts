import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { safeTarget, withCallback } from '#web/browser/redirect.ts';
import { readParams } from '#web/browser/router/search.ts';
import { returnTarget } from '#web/app/routes/useAuthRedirect.ts';

const origin = 'https://kabari.example';
const shop = 'https://toko.example';

test.each([
  ['/saldo', '/saldo'],
  ['/message-history?page=2&status=read#atas', '/message-history?page=2&status=read#atas'],
  ['https://kabari.example/token', '/token'],
  ['saldo', '/saldo'],
  ['/panduan/auth', '/panduan/auth'],
  ['https://toko.example/kembali?a=1', 'https://toko.example/kembali?a=1'],
])('%s may be gone to', (raw, target) => {
  expect(safeTarget(raw, origin, [shop])).toBe(target);
});

test.each([
  'https://jahat.example/',
  '//jahat.example',
  '///jahat.example',
  '/\\jahat.example',
  '\\\\jahat.example',
  'https:/\\jahat.example',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\tscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'blob:https://kabari.example/1',
  'https://kabari.example@jahat.example',
  'https://user:pass@kabari.example/',
  'https://user@kabari.example/',
  'https://:pass@kabari.example/',
  'https://kabari.example.jahat.example/',
  'http://kabari.example/',
  'https://kabari.example:444/',
  '/%09/jahat.example\n',
  ' /saldo',
  '/saldo\u0000',
  '/auth/login',
  '/auth',
  '/AUTH/login',
  '/%61uth/login',
  '/auth/%E0',
  '/.//jahat.example',
  '',
  null,
  undefined,
])('%j is nowhere to go', (raw) => {
  expect(safeTarget(raw, origin, [shop])).toBeNull();
});

test('rejects an address of more than 2,000 characters', () => {
  expect(safeTarget(`/${'a'.repeat(2_000)}`, origin)).toBeNull();
  expect(safeTarget(`/${'a'.repeat(1_999)}`, origin)).not.toBeNull();
});

test('accepts own addresses of an installation without TLS', () => {
  const plain = 'http://kabari.example';
  expect(safeTarget(`${plain}/saldo`, plain)).toBe('/saldo');
  expect(returnTarget(`?from=${plain}/token`, plain, [])).toBe('/token');
});

test('ends at home or nowhere for any input', () => {
  const bits = fc.constantFrom(
    '/',
    '\\',
    '//',
    ':',
    '@',
    '.',
    'javascript',
    'https',
    'a',
    '%2f',
    '\t',
    '?',
    '#',
    'jahat.example',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(bits).map((all) => all.join('')),
      ),
      (raw) => {
        const target = safeTarget(raw, origin);
        if (target === null) return;
        expect(new URL(target, origin).origin).toBe(origin);
        expect(target.startsWith('//')).toBe(false);
      },
    ),
    { numRuns: 5_000 },
  );
});

test('appends the encoded return address before the fragment', () => {
  expect(withCallback('/token', '/saldo?a=1&b=2')).toBe(
    '/token?callbackUrl=%2Fsaldo%3Fa%3D1%26b%3D2',
  );
  expect(withCallback('/token?x=1#y', '/saldo')).toBe('/token?x=1&callbackUrl=%2Fsaldo#y');
  expect(withCallback('/token', '')).toBe('/token');
});

test.each([
  ['/token?q=%7E%20a&b=(c)~*', '/token?q=%7E%20a&b=(c)~*&callbackUrl=%2Fsaldo'],
  ['/token?a[]=1&a[]=2&leer', '/token?a[]=1&a[]=2&leer&callbackUrl=%2Fsaldo'],
  ['/token?callbackUrl=/lama', '/token?callbackUrl=/lama&callbackUrl=%2Fsaldo'],
  ['/token?', '/token?callbackUrl=%2Fsaldo'],
  ['/token?a=1&', '/token?a=1&callbackUrl=%2Fsaldo'],
  ['/token#a?b', '/token?callbackUrl=%2Fsaldo#a?b'],
  [
    'https://toko.example/x?sig=a+b%2Bc#',
    'https://toko.example/x?sig=a+b%2Bc&callbackUrl=%2Fsaldo#',
  ],
])('the query of %s stays as it was written', (target, expected) => {
  expect(withCallback(target, '/saldo')).toBe(expected);
});

test('reads the appended one of two return addresses', () => {
  const query = withCallback('/token?callbackUrl=/lama', '/saldo').slice('/token'.length);
  expect(readParams(query).get('callbackUrl')).toBe('/saldo');
});

test('follows `from` for a signed-in user, and callbackUrl if it is safe', () => {
  expect(returnTarget('?from=%2Ftoken', origin, [])).toBe('/token');
  expect(returnTarget('?from=/token&callbackUrl=/saldo', origin, [])).toBe(
    '/token?callbackUrl=%2Fsaldo',
  );
  expect(returnTarget('?from=/token&callbackUrl=//jahat.example', origin, [])).toBe('/token');
  expect(returnTarget('?from=https://toko.example/x', origin, [shop])).toBe(
    'https://toko.example/x',
  );
  expect(returnTarget('?from=https://toko.example/x', origin, [])).toBeNull();
  expect(returnTarget('?from=//jahat.example&callbackUrl=/saldo', origin, [])).toBeNull();
});

test('does not take the first day of a date range for an address', () => {
  expect(returnTarget('?from=2026-11-01&to=2026-11-21', origin, [])).toBeNull();
  expect(returnTarget('?from=2026/11/01', origin, [])).toBeNull();
  expect(returnTarget('?from[]=/token', origin, [])).toBeNull();
});

const corpus = join(import.meta.dirname, '../../../../shared/corpora/redirect.txt');

test.skipIf(!existsSync(corpus))('no collected redirect trick leaves our origin', () => {
  const tricks = readFileSync(corpus, 'utf8').split('\n').filter(Boolean);
  expect(tricks.length).toBeGreaterThan(300);
  const away = tricks.flatMap((trick) =>
    [
      safeTarget(trick, origin),
      safeTarget(`/${trick}`, origin),
      returnTarget(`?from=${trick}`, origin, []),
      returnTarget(`?from=${encodeURIComponent(trick)}`, origin, []),
      returnTarget(`?from=/token&callbackUrl=${encodeURIComponent(trick)}`, origin, []),
    ].filter(
      (target) =>
        target !== null &&
        (!/^\/(?![/\\])/.test(target) || new URL(target, origin).origin !== origin),
    ),
  );
  expect(away).toEqual([]);
});
