import { BufferJSON, Curve, generateSignalPubKey, initAuthCreds } from 'baileys';
import type { AuthStorage } from '#server/domains/channels/web/engine/engine.ts';
import { lidOf } from './stanzas.ts';

/** What a phone has stored of a contact with whom it has written before. */
export type Known = { numbers: readonly string[]; session: unknown };

const written = (value: unknown): string => JSON.stringify(value, BufferJSON.replacer);

/**
 * The storage of a linked phone: its identity, and of each contact the address, the device, the identity and the
 * session. It has no pre-keys yet: the library makes and uploads them with its first connection.
 */
export function storedPhone(number: string, known: Known): AuthStorage {
  let creds = written(linkedCreds(number));
  const keys = new Map<string, Map<string, string>>();
  const keysOf = (type: string): Map<string, string> => {
    const found = keys.get(type) ?? new Map<string, string>();
    keys.set(type, found);
    return found;
  };
  const session = written(known.session);
  for (const contact of known.numbers) {
    const lid = lidOf(contact);
    keysOf('lid-mapping').set(contact, written(lid)).set(`${lid}_reverse`, written(contact));
    keysOf('device-list').set(contact, written(['0']));
    keysOf('session').set(`${lid}_1.0`, session);
    const identity = Buffer.from(generateSignalPubKey(Curve.generateKeyPair().public));
    keysOf('identity-key').set(`${lid}_1.0`, written(identity));
  }
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

/** An identity after its link, and after the history that came with it. */
function linkedCreds(number: string): unknown {
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
