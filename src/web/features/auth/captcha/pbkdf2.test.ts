import { pbkdf2Sync } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pbkdf2Sha256 } from './pbkdf2.ts';

test('the plain code derives what the platform derives', () => {
  const bytes = fc.uint8Array({ maxLength: 150 });
  fc.assert(
    fc.property(
      bytes,
      bytes,
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 32 }),
      (password, salt, iterations, length) => {
        const ours = pbkdf2Sha256(password, salt, { iterations, length });
        const theirs = pbkdf2Sync(password, salt, iterations, length, 'sha256');
        expect(Buffer.from(ours).toString('hex')).toBe(theirs.toString('hex'));
      },
    ),
  );
});

test('it refuses what it cannot derive', () => {
  const some = new Uint8Array(8);
  for (const wrong of [{ length: 33 }, { length: 0 }, { iterations: 0 }]) {
    const asked = { iterations: 1, length: 32, ...wrong };
    expect(() => pbkdf2Sha256(some, some, asked)).toThrow(RangeError);
  }
});
