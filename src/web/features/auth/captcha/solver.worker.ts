import { handler } from 'altcha-lib/workers/shared';
import { pbkdf2Sha256 } from './pbkdf2.ts';

type DeriveKey = Parameters<typeof handler>[0]['deriveKey'];

const bySubtle: DeriveKey = async ({ cost, keyLength }, salt, password) => {
  const key = await crypto.subtle.importKey('raw', own(password), 'PBKDF2', false, ['deriveBits']);
  const settings = { name: 'PBKDF2', salt: own(salt), iterations: cost, hash: 'SHA-256' };
  const bits = await crypto.subtle.deriveBits(settings, key, keyLength * 8);
  return { derivedKey: new Uint8Array(bits) };
};

const byHand: DeriveKey = async ({ cost, keyLength }, salt, password) => ({
  derivedKey: pbkdf2Sha256(password, salt, { iterations: cost, length: keyLength }),
});

/** A copy in memory of its own, as the platform's types ask for it. */
const own = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => Uint8Array.from(bytes);

// Pages over plain http have no `crypto.subtle`.
const { subtle } = crypto as { subtle?: SubtleCrypto };
handler({ deriveKey: subtle ? bySubtle : byHand });
