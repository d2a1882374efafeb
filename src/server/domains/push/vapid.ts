import { createECDH } from 'node:crypto';
import type { Sql } from '#server/infra/postgres/database.ts';
import { type Secrets, hmac, storedSecret } from '#server/infra/security/secrets.ts';

/** Identifies the installation to push services (RFC 8292). */
export type Vapid = {
  /** Public key of browsers' subscriptions: an uncompressed point of P-256, base64url. */
  publicKey: string;
  /**
   * The `Authorization` of a request.
   *
   * @param origin the push service's
   * @param contact for the service to write to: a `mailto:` or `https:` address
   */
  authorize(origin: string, contact: string): Promise<string>;
};

type Pair = { publicKey: string; privateKey: string };

/** Push services accept 24 h at most; clocks differ. */
const LIFE_SECONDS = 12 * 3_600;
/** Cache time of an authorization: signing one took 4 of the 7 ms of a notice. */
const CACHE_TTL_MS = 3_600_000;
const CACHE_MAX = 100;

/**
 * The installation's sealed key pair, the same on every node. Another SECRET_KEY has its own pair: browsers then
 * subscribe again by themselves.
 */
export async function readVapid(allAccountsSql: Sql, secrets: Secrets): Promise<Vapid> {
  const name = `vapid ${hmac(secrets.key('pepper'), 'vapid').toString('hex', 0, 8)}`;
  const make = () => JSON.stringify(newPair());
  const pair = await storedSecret(allAccountsSql, secrets, { name, make });
  return vapidOf(JSON.parse(pair) as Pair);
}

function newPair(): Pair {
  const pair = createECDH('prime256v1');
  const publicKey = pair.generateKeys('base64url');
  const privateKey = Buffer.alloc(32);
  // A number that begins with zeros comes shorter.
  const number = pair.getPrivateKey();
  number.copy(privateKey, 32 - number.length);
  return { publicKey, privateKey: privateKey.toString('base64url') };
}

function vapidOf({ publicKey, privateKey }: Pair): Vapid {
  const cache = new Map<string, { header: string; expiresAtMs: number }>();
  return {
    publicKey,
    async authorize(origin, contact) {
      const name = `${origin} ${contact}`;
      const cached = cache.get(name);
      if (cached && performance.now() < cached.expiresAtMs) return cached.header;
      const { default: webPush } = await import('web-push');
      const { Authorization: header } = webPush.getVapidHeaders(
        origin,
        contact,
        publicKey,
        privateKey,
        'aes128gcm',
        Math.floor(Date.now() / 1_000) + LIFE_SECONDS,
      );
      if (cache.size >= CACHE_MAX) cache.clear();
      cache.set(name, { header, expiresAtMs: performance.now() + CACHE_TTL_MS });
      return header;
    },
  };
}
