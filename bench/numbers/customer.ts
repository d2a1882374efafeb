import {
  type AuthenticationCreds,
  Curve,
  DEFAULT_CONNECTION_CONFIG,
  type SignalDataTypeMap,
  type SignalKeyStore,
  type SignalRepositoryWithLIDStore,
  addTransactionCapability,
  encodeWAMessage,
  generateSignalPubKey,
  initAuthCreds,
  proto,
  unpadRandomMax16,
} from 'baileys';
import { silent } from '#server/domains/channels/web/engine/baileys/baileys-engine.ts';
import type { Bundle, Encrypted } from './stanzas.ts';

export class Customer {
  readonly number: string;
  /**
   * The shop's address, another one for each customer: the library orders work by address for the whole process, and
   * would mix up transactions of customers who share one.
   */
  readonly #shop: string;
  readonly #creds: AuthenticationCreds = initAuthCreds();
  readonly #stored = new Map<string, unknown>();
  readonly #repository: SignalRepositoryWithLIDStore;

  constructor(number: string) {
    this.number = number;
    this.#shop = `${number}@lid`;
    const keys = addTransactionCapability(this.#keys(), silent, {
      maxCommitRetries: 1,
      delayBetweenTriesMs: 0,
    });
    const auth = { creds: this.#creds, keys };
    this.#repository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(auth, silent);
  }

  async meet({ identity, registrationId, signedPreKey, preKeys }: Bundle): Promise<void> {
    const preKey = preKeys.shift();
    if (!preKey) throw new Error('a phone has no keys left for new chats');
    await this.#repository.injectE2ESession({
      jid: this.#shop,
      session: {
        registrationId,
        identityKey: generateSignalPubKey(identity),
        signedPreKey: {
          keyId: signedPreKey.keyId,
          publicKey: generateSignalPubKey(signedPreKey.public),
          signature: signedPreKey.signature,
        },
        preKey: { keyId: preKey.keyId, publicKey: generateSignalPubKey(preKey.public) },
      },
    });
  }

  write(text: string): Promise<Encrypted> {
    return this.#repository.encryptMessage({
      jid: this.#shop,
      data: encodeWAMessage({ conversation: text }),
    });
  }

  async read(encrypted: Encrypted): Promise<string> {
    const plain = await this.#repository.decryptMessage({ jid: this.#shop, ...encrypted });
    const { conversation, extendedTextMessage } = proto.Message.decode(unpadRandomMax16(plain));
    return conversation || extendedTextMessage?.text || '';
  }

  get session(): unknown {
    return [...this.#stored].find(([place]) => place.startsWith('session '))?.[1];
  }

  bundle(): Bundle {
    const { registrationId, signedIdentityKey, signedPreKey } = this.#creds;
    const { keyId, keyPair, signature } = signedPreKey;
    const preKey = Curve.generateKeyPair();
    this.#stored.set('pre-key 1', preKey);
    return {
      registrationId,
      identity: signedIdentityKey.public,
      signedPreKey: { keyId, public: keyPair.public, signature },
      preKeys: [{ keyId: 1, public: preKey.public }],
    };
  }

  #keys(): SignalKeyStore {
    const stored = this.#stored;
    return {
      async get<T extends keyof SignalDataTypeMap>(type: T, ids: string[]) {
        const found = ids.flatMap((id) => {
          const value = stored.get(`${type} ${id}`);
          return value === undefined ? [] : [[id, value]];
        });
        return Object.fromEntries(found) as Record<string, SignalDataTypeMap[T]>;
      },
      async set(data) {
        for (const [type, values] of Object.entries(data)) {
          for (const [id, value] of Object.entries(values ?? {})) {
            if (value === null) stored.delete(`${type} ${id}`);
            else stored.set(`${type} ${id}`, value);
          }
        }
      },
    };
  }
}

/** A session of a chat in which both sides have written, as a phone stores it. */
export async function sampleSession(): Promise<unknown> {
  const [one, other] = [new Customer('1'), new Customer('2')];
  await one.meet(other.bundle());
  for (const [from, to] of [
    [one, other],
    [other, one],
    [one, other],
    [other, one],
  ] as const) {
    await to.read(await from.write('Halo'));
  }
  return one.session;
}
