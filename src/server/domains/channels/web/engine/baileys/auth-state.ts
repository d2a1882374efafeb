import {
  type AuthenticationCreds,
  BufferJSON,
  type SignalDataTypeMap,
  type SignalKeyStore,
  initAuthCreds,
  proto,
} from 'baileys';
import type { AuthStorage, KeyChange } from '#server/domains/channels/web/engine/engine.ts';

const written = (value: unknown): string => JSON.stringify(value, BufferJSON.replacer);
const read = (text: string): unknown => JSON.parse(text, BufferJSON.reviver);

/** The identity of a session: the stored one, or a new one. */
export async function readCreds(auth: AuthStorage): Promise<AuthenticationCreds> {
  const stored = await auth.readCreds();
  return stored === undefined ? initAuthCreds() : (read(stored) as AuthenticationCreds);
}

export const writeCreds = (auth: AuthStorage, creds: AuthenticationCreds): Promise<void> =>
  auth.writeCreds(written(creds));

/** The library's store of keys, over ours. */
export const keyStoreOf = (auth: AuthStorage): SignalKeyStore => ({
  async get<T extends keyof SignalDataTypeMap>(type: T, ids: string[]) {
    const found = await auth.readKeys(type, ids);
    return Object.fromEntries(
      Object.entries(found).map(([id, text]) => [id, revived(type, read(text))]),
    ) as Record<string, SignalDataTypeMap[T]>;
  },
  async set(data) {
    const changes = Object.entries(data).flatMap(([type, values]) =>
      Object.entries(values ?? {}).map(([id, value]): KeyChange => ({
        type,
        id,
        value: value === null || value === undefined ? null : written(value),
      })),
    );
    if (changes.length > 0) await auth.writeKeys(changes);
  },
});

/** Some keys are messages of the protocol, and must be such again. */
const revived = (type: string, value: unknown): unknown =>
  type === 'app-state-sync-key'
    ? proto.Message.AppStateSyncKeyData.fromObject(value as Record<string, unknown>)
    : value;
