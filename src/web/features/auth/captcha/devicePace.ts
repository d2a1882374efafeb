import { CAPTCHA_ROUNDS } from '#contract/accounts.ts';

const STEPS = 4;

/**
 * Steps of a usual captcha that this device makes in a second, by a first few; 0 without the platform's own code, as
 * on pages over plain http.
 */
export async function devicePace(): Promise<number> {
  const { subtle } = crypto as { subtle?: SubtleCrypto };
  if (!subtle) return 0;
  const bytes = new Uint8Array(16);
  const key = await subtle.importKey('raw', bytes, 'PBKDF2', false, ['deriveBits']);
  const settings = { name: 'PBKDF2', salt: bytes, iterations: CAPTCHA_ROUNDS, hash: 'SHA-256' };
  const startedAt = performance.now();
  for (let step = 0; step < STEPS; step++) await subtle.deriveBits(settings, key, 256);
  return Math.min(1_000_000, Math.round((1000 * STEPS) / (performance.now() - startedAt)));
}
