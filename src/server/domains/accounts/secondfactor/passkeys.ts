import type {
  AuthenticationResponseJSON,
  RegistrationResponseJSON,
  VerifiedRegistrationResponse,
} from '@simplewebauthn/server';
import type { Config } from '#server/infra/config.ts';

/**
 * Every authenticator supports one of them: EdDSA, ES256, RS256 (COSE). The library's default begins with an
 * experimental one.
 */
const ALGORITHMS = [-8, -7, -257];

/** Loaded on first use, because most processes never need it. */
const library = () => import('@simplewebauthn/server');

type Settings = Pick<Config, 'PUBLIC_URL'>;

export type StoredPasskey = {
  credentialId: Buffer;
  publicKey: Buffer;
  counter: number;
  transports: readonly string[];
};

const rpIdOf = ({ PUBLIC_URL }: Settings): string =>
  PUBLIC_URL === undefined ? 'localhost' : new URL(PUBLIC_URL).hostname;

/**
 * The expected origin of a passkey's answer. A local installation without PUBLIC_URL accepts any port of localhost,
 * because the system may choose the port.
 */
function originOf({ PUBLIC_URL }: Settings, clientDataJSON: string): string {
  if (PUBLIC_URL !== undefined) return new URL(PUBLIC_URL).origin;
  const clientData = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8')) as {
    origin?: unknown;
  };
  const origin = new URL(String(clientData.origin));
  return origin.hostname === 'localhost' ? origin.origin : 'http://localhost';
}

const idOf = ({ credentialId }: Pick<StoredPasskey, 'credentialId'>): string =>
  credentialId.toString('base64url');

const asJson = (options: object): Record<string, unknown> => ({ ...options });

type NewPasskey = {
  userId: string;
  name: string;
  phone: string;
  challenge: Buffer;
  existing: readonly StoredPasskey[];
};

export async function passkeyCreation(
  config: Settings,
  { userId, name, phone, challenge, existing }: NewPasskey,
): Promise<Record<string, unknown>> {
  const { generateRegistrationOptions } = await library();
  const options = await generateRegistrationOptions({
    rpName: 'Kabari',
    rpID: rpIdOf(config),
    userID: Uint8Array.from(Buffer.from(userId.replaceAll('-', ''), 'hex')),
    userName: phone,
    userDisplayName: name,
    challenge: Uint8Array.from(challenge),
    attestationType: 'none',
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: existing.map((one) => ({ id: idOf(one) })),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  });
  return asJson(options);
}

export async function passkeyRequest(
  config: Settings,
  challenge: Buffer,
  existing: readonly StoredPasskey[],
): Promise<Record<string, unknown>> {
  const { generateAuthenticationOptions } = await library();
  const options = await generateAuthenticationOptions({
    rpID: rpIdOf(config),
    challenge: Uint8Array.from(challenge),
    allowCredentials: existing.map((one) => ({ id: idOf(one), transports: [...one.transports] })),
    userVerification: 'preferred',
  });
  return asJson(options);
}

export async function verifyNewPasskey(
  config: Settings,
  challenge: Buffer,
  given: string,
): Promise<StoredPasskey | undefined> {
  const { verifyRegistrationResponse } = await library();
  const made = await undefinedIfRejected(async (): Promise<VerifiedRegistrationResponse> => {
    const response = JSON.parse(given) as RegistrationResponseJSON;
    return verifyRegistrationResponse({
      response,
      expectedChallenge: challenge.toString('base64url'),
      expectedOrigin: originOf(config, response.response.clientDataJSON),
      expectedRPID: rpIdOf(config),
      supportedAlgorithmIDs: ALGORITHMS,
      // It supplements a password, so that a security key without a PIN is enough.
      requireUserVerification: false,
    });
  });
  if (!made?.verified) return undefined;
  const { id, publicKey, counter, transports = [] } = made.registrationInfo.credential;
  return {
    credentialId: Buffer.from(id, 'base64url'),
    publicKey: Buffer.from(publicKey),
    counter,
    transports: transports.filter((one) => /^[a-z-]{1,20}$/.test(one)).slice(0, 10),
  };
}

/** The passkey id named in an answer; `undefined` if the answer is malformed. */
export function credentialIn(given: string): Buffer | undefined {
  try {
    const { id } = JSON.parse(given) as { id?: unknown };
    return typeof id === 'string' ? Buffer.from(id, 'base64url') : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether a passkey answered the challenge, on our own page, with a counter that the library accepts.
 *
 * @returns its new counter; `undefined` if not.
 */
export async function verifyPasskey(
  config: Settings,
  passkey: StoredPasskey,
  { challenge, given }: { challenge: Buffer; given: string },
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await library();
  const answer = await undefinedIfRejected(async () => {
    const response = JSON.parse(given) as AuthenticationResponseJSON;
    return verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge.toString('base64url'),
      expectedOrigin: originOf(config, response.response.clientDataJSON),
      expectedRPID: rpIdOf(config),
      requireUserVerification: false,
      credential: {
        id: idOf(passkey),
        publicKey: Uint8Array.from(passkey.publicKey),
        counter: passkey.counter,
      },
    });
  });
  return answer?.verified ? answer.authenticationInfo.newCounter : undefined;
}

/** The library throws for every answer that it rejects, and answers are untrusted input. */
async function undefinedIfRejected<T>(verify: () => Promise<T>): Promise<T | undefined> {
  try {
    return await verify();
  } catch {
    return undefined;
  }
}
