import { pbkdf2 } from '@noble/hashes/pbkdf2.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { handler } from 'altcha-lib/workers/shared';

export type DeriveKey = Parameters<typeof handler>[0]['deriveKey'];

const bySubtle: DeriveKey = async ({ cost, keyLength }, salt, password) => {
  const key = await crypto.subtle.importKey('raw', own(password), 'PBKDF2', false, ['deriveBits']);
  const settings = { name: 'PBKDF2', salt: own(salt), iterations: cost, hash: 'SHA-256' };
  const bits = await crypto.subtle.deriveBits(settings, key, keyLength * 8);
  return { derivedKey: new Uint8Array(bits) };
};

/** Pure JavaScript: about eight times the CPU of the platform’s own (in Node, 5,000 rounds). */
const inPlainCode: DeriveKey = async ({ cost, keyLength }, salt, password) => ({
  derivedKey: own(pbkdf2(sha256, password, salt, { c: cost, dkLen: keyLength })),
});

/** A copy with its own buffer, as the platform's types require. */
const own = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => Uint8Array.from(bytes);

// Pages over plain http have no `crypto.subtle`.
const { subtle } = crypto as { subtle?: SubtleCrypto };
/** One step of a challenge, by the platform if it can. */
export const deriveKey = subtle ? bySubtle : inPlainCode;
