import { expect, test } from 'vitest';
import { newTotpSecret, totpCodeAt, totpStepOf, totpToShow } from './factors.ts';

const NOW = 1_800_000_015;
const STEP = 60_000_000;

test('creates the codes of RFC 6238', () => {
  const secret = Buffer.from('12345678901234567890');
  expect(totpCodeAt(secret, 59)).toBe('287082');
  expect(totpCodeAt(secret, 1_111_111_109)).toBe('081804');
  expect(totpCodeAt(secret, 20_000_000_000)).toBe('353130');
});

test('tolerates a clock that is off by half a minute but not by a minute', () => {
  const secret = newTotpSecret();
  const stepAt = (skew: number) => totpStepOf(secret, totpCodeAt(secret, NOW + skew), NOW);
  expect([-30, 0, 30].map(stepAt)).toEqual([STEP - 1, STEP, STEP + 1]);
  expect([-75, -60, 60, 75].map(stepAt)).toEqual([undefined, undefined, undefined, undefined]);
});

test('finds no step for invalid codes', () => {
  const secret = newTotpSecret();
  const code = totpCodeAt(secret, NOW);
  for (const other of ['', code.slice(1), `${code}0`, 'abcdef']) {
    expect(totpStepOf(secret, other, NOW)).toBeUndefined();
  }
});

test('shows the same secret in the QR and for typing', () => {
  const { secret, uri } = totpToShow(Buffer.from('12345678901234567890'), '+62 811-1111-1111');
  expect(secret).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
  const read = new URL(uri);
  expect(read.protocol + read.host).toBe('otpauth:totp');
  expect(decodeURIComponent(read.pathname)).toBe('/Kabari:+62 811-1111-1111');
  expect(Object.fromEntries(read.searchParams)).toMatchObject({ issuer: 'Kabari', secret });
});
