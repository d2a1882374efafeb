import fc from 'fast-check';
import { expect, test } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { businessIdOf, messageIdOf, numberIdOf, wamidOf } from '#contract/dialects.ts';

const uuids = fc.uuid();

test('maps a wamid to its message and to no other', () => {
  fc.assert(
    fc.property(uuids, (uuid) => {
      const id = publicId('message', uuid);
      expect(wamidOf(id)).toMatch(/^wamid\.[A-Za-z0-9_-]{22}$/);
      expect(messageIdOf(wamidOf(id))).toBe(id);
    }),
  );
});

test('does not resolve wamids of other origin', () => {
  const wamid = wamidOf(publicId('message', '0193b0a0-7c00-7000-8000-00000000ffff'));
  const wrong = ['', 'wamid.', wamid.slice(6), `${wamid}A`, `${wamid}=`, wamid.slice(0, -1)];
  // The last character encodes two bits only, so that other characters decode to the same bytes.
  const respelt = `${wamid.slice(0, -1)}${wamid.endsWith('w') ? 'x' : 'B'}`;
  for (const one of [...wrong, respelt, 'wamid.HBgLMTIzNDU2Nzg5MBUCABEY', '__proto__']) {
    expect(messageIdOf(one), one).toBeUndefined();
  }
});

test('gives numbers and businesses ids of 16 digits that JavaScript represents exactly', () => {
  fc.assert(
    fc.property(uuids, (uuid) => {
      for (const id of [
        numberIdOf(publicId('token', uuid)),
        businessIdOf(publicId('account', uuid)),
      ]) {
        expect(id).toMatch(/^\d{16}$/);
        expect(Number.isSafeInteger(Number(id))).toBe(true);
      }
    }),
  );
});

test('gives consecutive tokens different ids', () => {
  const ids = Array.from({ length: 1000 }, (_, n) =>
    numberIdOf(publicId('token', `0193b0a0-7c00-7000-8000-${n.toString(16).padStart(12, '0')}`)),
  );
  expect(new Set(ids).size).toBe(1000);
});
