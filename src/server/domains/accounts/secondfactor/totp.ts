import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

/** What every authenticator app understands (RFC 6238): SHA-1, six digits, 30 s. */
const STEP_SECONDS = 30;
const SECRET_BYTES = 20;
/** A phone's clock may be off by so many steps, before and after. */
const WINDOW_STEPS = 1;

/** A new secret of an authenticator app. */
export const newTotpSecret = (): Buffer => randomBytes(SECRET_BYTES);

const totpOf = (secret: Uint8Array, label = ''): TOTP =>
  new TOTP({
    issuer: 'Kabari',
    label,
    algorithm: 'SHA1',
    digits: 6,
    period: STEP_SECONDS,
    secret: new Secret({ buffer: Uint8Array.from(secret).buffer }),
  });

/** A secret as people give it to their app: to type, and as the text of a QR. */
export function totpToShow(secret: Uint8Array, label: string): { secret: string; uri: string } {
  const totp = totpOf(secret, label);
  return { secret: totp.secret.base32, uri: totp.toString() };
}

/** The code that an app shows at a moment. @param atSeconds since 1970 */
export const totpCodeAt = (secret: Uint8Array, atSeconds: number): string =>
  totpOf(secret).generate({ timestamp: atSeconds * 1000 });

/**
 * Which step a code belongs to: the present one, the one before, or the one after; `undefined` when it is
 * no code of these. Compared without telling by its time how much of it fits.
 *
 * @param atSeconds the moment, in seconds since 1970.
 */
export function totpStepOf(
  secret: Uint8Array,
  code: string,
  atSeconds: number,
): number | undefined {
  const window = WINDOW_STEPS;
  const delta = totpOf(secret).validate({ token: code, timestamp: atSeconds * 1000, window });
  return delta === null ? undefined : Math.floor(atSeconds / STEP_SECONDS) + delta;
}
