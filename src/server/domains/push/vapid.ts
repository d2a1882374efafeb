import { createECDH } from 'node:crypto';
import type { Sql } from '#server/infra/postgres/database.ts';
import { type Secrets, hmac, storedSecret } from '#server/infra/security/secrets.ts';

/** With what the house shows push services who it is (RFC 8292). */
export type Vapid = {
  /** What browsers subscribe with: a point of P-256, uncompressed, base64url. */
  publicKey: string;
  /**
   * The `Authorization` of a request.
   *
   * @param origin the push service's.
   * @param contact whom it may write to: a `mailto:` or `https:` address.
   */
  authorize(origin: string, contact: string): Promise<string>;
};

type Pair = { publicKey: string; privateKey: string };

/** Push services accept 24 h at most; clocks differ. */
const LIFE_SECONDS = 12 * 3_600;
/** How long an authorization is used again: signing one took 4 of the 7 ms of a notice. */
const REUSED_MS = 3_600_000;
const REMEMBERED_MAX = 100;

/**
 * The installation's pair, made at its first start and stored sealed; the same on every node. Another SECRET_KEY has a pair of its own: browsers then subscribe anew by themselves.
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
  const remembered = new Map<string, { words: string; until: number }>();
  return {
    publicKey,
    async authorize(origin, contact) {
      const name = `${origin} ${contact}`;
      const known = remembered.get(name);
      if (known && performance.now() < known.until) return known.words;
      const { default: webPush } = await import('web-push');
      const { Authorization: words } = webPush.getVapidHeaders(
        origin,
        contact,
        publicKey,
        privateKey,
        'aes128gcm',
        Math.floor(Date.now() / 1_000) + LIFE_SECONDS,
      );
      if (remembered.size >= REMEMBERED_MAX) remembered.clear();
      remembered.set(name, { words, until: performance.now() + REUSED_MS });
      return words;
    },
  };
}
