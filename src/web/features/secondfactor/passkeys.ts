import {
  browserSupportsWebAuthn,
  startAuthentication,
  startRegistration,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';

type Options = Readonly<Record<string, unknown>>;

/** A browser without passkeys, or a page whose address cannot have any (plain http, an IP). */
class NoPasskeys extends Error {}

/** @returns the browser's response as JSON. @throws errors that `passkeySentence` translates */
export async function makePasskey(options: Options): Promise<string> {
  if (!browserSupportsWebAuthn()) throw new NoPasskeys();
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  return JSON.stringify(await startRegistration({ optionsJSON }));
}

export async function askPasskey(options: Options): Promise<string> {
  if (!browserSupportsWebAuthn()) throw new NoPasskeys();
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON;
  return JSON.stringify(await startAuthentication({ optionsJSON }));
}

/** The message when the browser returned no passkey; `undefined` for any other error. */
export function passkeySentence(error: unknown): string | undefined {
  if (error instanceof NoPasskeys) {
    return 'Browser ini tidak dapat memakai passkey di alamat ini. Pakai cara lain.';
  }
  const name = error instanceof Error ? error.name : '';
  if (name === 'InvalidStateError') return 'Perangkat ini sudah terpasang sebagai passkey Anda.';
  if (name === 'SecurityError') return 'Passkey hanya dapat dipakai di alamat resmi instalasi ini.';
  if (name === 'NotAllowedError' || name === 'AbortError') {
    return 'Passkey tidak jadi dipakai. Coba lagi, atau pakai cara lain.';
  }
  return undefined;
}
