import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { API_KEY_PATTERN, type ChannelName } from '#contract/tokens.ts';
import { sha256 } from '#server/infra/security/secrets.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 43;
const CHECK_LENGTH = 6;
const HINT_LENGTH = 4;
/** The largest multiple of 62 in a byte: what is above would favour the first letters. */
const UNBIASED_BELOW = 248;

/** A new API key: only here it exists in full. */
export type NewKey = { key: string; hash: Buffer; hint: string };

/** Creates a key with 256 random bits; `kbr_test_` where nothing leaves the simulator. */
export function makeKey(channel: ChannelName): NewKey {
  const body = `${channel === 'simulator' ? 'kbr_test_' : 'kbr_live_'}${randomLetters()}`;
  const key = body + checksumOf(body);
  return { key, hash: sha256(key), hint: key.slice(-HINT_LENGTH) };
}

/** True when a key has the shape and the checksum of ours: what fails needs no look-up. */
export function checkKey(key: string): boolean {
  if (!API_KEY_PATTERN.test(key)) return false;
  return checksumOf(key.slice(0, -CHECK_LENGTH)) === key.slice(-CHECK_LENGTH);
}

function randomLetters(): string {
  let letters = '';
  while (letters.length < SECRET_LENGTH) {
    for (const byte of randomBytes(SECRET_LENGTH)) {
      if (byte < UNBIASED_BELOW && letters.length < SECRET_LENGTH) letters += alphabet[byte % 62];
    }
  }
  return letters;
}

function checksumOf(body: string): string {
  let rest = crc32(body);
  let letters = '';
  for (let index = 0; index < CHECK_LENGTH; index++) {
    letters = alphabet[rest % 62] + letters;
    rest = Math.floor(rest / 62);
  }
  return letters;
}
