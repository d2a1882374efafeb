import { expect, test } from 'vitest';
import { askPasskey, makePasskey, passkeySentence } from './passkeys.ts';

const named = (name: string) => Object.assign(new Error('from the browser'), { name });

test('says what to do when the browser returns no passkey, and leaves other errors to the caller', () => {
  expect(passkeySentence(named('InvalidStateError'))).toMatch(/^Perangkat ini sudah terpasang/);
  expect(passkeySentence(named('SecurityError'))).toMatch(/alamat resmi/);
  expect(passkeySentence(named('NotAllowedError'))).toMatch(/pakai cara lain/);
  expect(passkeySentence(named('AbortError'))).toMatch(/pakai cara lain/);
  for (const other of [named('TypeError'), 'NotAllowedError', undefined]) {
    expect(passkeySentence(other)).toBe(undefined);
  }
});

test('suggests another method in a browser without passkeys', async () => {
  for (const use of [askPasskey, makePasskey]) {
    const error = await use({}).catch((no: unknown) => no);
    expect(passkeySentence(error)).toMatch(/^Browser ini tidak dapat memakai passkey/);
  }
});
