import {
  type AuthenticationCreds,
  BufferJSON,
  Curve,
  type KeyPair,
  generateSignalPubKey,
  initAuthCreds,
} from 'baileys';
import type { AuthStorage, KeyChange } from '#server/domains/channels/web/engine/engine.ts';
import { type Bundle, lidOf } from './stanzas.ts';

export type Known = { numbers: readonly string[]; session: unknown };

const written = (value: unknown): string => JSON.stringify(value, BufferJSON.replacer);

/**
 * The storage of a linked phone: its identity, and the address, device, identity and session of each contact. It has no
 * pre-keys yet: the library makes and uploads them with its first connection.
 */
export function storedPhone(number: string, known: Known): AuthStorage {
  let creds = written(linkedCreds(number));
  const keys = new Map<string, Map<string, string>>();
  const keysOf = (type: string): Map<string, string> => {
    const found = keys.get(type) ?? new Map<string, string>();
    keys.set(type, found);
    return found;
  };
  for (const { type, id, value } of keysOfContacts(known)) keysOf(type).set(id, value);
  return {
    readCreds: async () => creds,
    writeCreds: async (changed) => {
      creds = changed;
    },
    readKeys: async (type, ids) =>
      Object.fromEntries(
        ids.flatMap((id) => {
          const value = keysOf(type).get(id);
          return value === undefined ? [] : [[id, value] as const];
        }),
      ),
    writeKeys: async (changes) => {
      for (const { type, id, value } of changes) {
        if (value === null) keysOf(type).delete(id);
        else keysOf(type).set(id, value);
      }
    },
  };
}

export type UploadedPhone = { creds: string; keys: readonly KeyChange[]; bundle: Bundle };

/** @param preKeys the phone's unused pre-keys, numbered from 1. */
export function uploadedPhone(
  number: string,
  known: Known,
  preKeys: readonly KeyPair[],
): UploadedPhone {
  const nextPreKeyId = preKeys.length + 1;
  const creds: AuthenticationCreds = {
    ...linkedCreds(number),
    nextPreKeyId,
    firstUnuploadedPreKeyId: nextPreKeyId,
  };
  const { registrationId, signedIdentityKey, signedPreKey } = creds;
  return {
    creds: written(creds),
    keys: [
      ...keysOfContacts(known),
      ...preKeys.map((pair, nth) => ({
        type: 'pre-key',
        id: `${nth + 1}`,
        value: written({
          private: Buffer.from(pair.private),
          public: Buffer.from(pair.public),
        }),
      })),
    ],
    bundle: {
      registrationId,
      identity: signedIdentityKey.public,
      signedPreKey: {
        keyId: signedPreKey.keyId,
        public: signedPreKey.keyPair.public,
        signature: signedPreKey.signature,
      },
      preKeys: preKeys.map((pair, nth) => ({ keyId: nth + 1, public: pair.public })),
    },
  };
}

function keysOfContacts({ numbers, session }: Known) {
  const storedSession = written(session);
  return numbers.flatMap((contact) => {
    const lid = lidOf(contact);
    const identity = Buffer.from(generateSignalPubKey(Curve.generateKeyPair().public));
    return [
      { type: 'lid-mapping', id: contact, value: written(lid) },
      { type: 'lid-mapping', id: `${lid}_reverse`, value: written(contact) },
      { type: 'device-list', id: contact, value: written(['0']) },
      { type: 'session', id: `${lid}_1.0`, value: storedSession },
      { type: 'identity-key', id: `${lid}_1.0`, value: written(identity) },
    ];
  });
}

function linkedCreds(number: string): AuthenticationCreds {
  const account = Curve.generateKeyPair().public;
  const signature = Buffer.alloc(64, 1);
  return {
    ...initAuthCreds(),
    me: { id: `${number}:5@s.whatsapp.net`, lid: `${lidOf(number)}:5@lid`, name: 'Toko Sari' },
    account: {
      details: Buffer.alloc(20, 1),
      accountSignatureKey: account,
      accountSignature: signature,
      deviceSignature: signature,
    },
    signalIdentities: [
      {
        identifier: { name: `${lidOf(number)}:5@lid`, deviceId: 0 },
        identifierKey: generateSignalPubKey(account),
      },
    ],
    platform: 'android',
    accountSyncCounter: 1,
  };
}
