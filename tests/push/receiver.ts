import { createECDH, randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { PushPayload } from '#contract/push.ts';

type Ece = {
  decrypt(
    body: Buffer,
    how: { version: 'aes128gcm'; privateKey: ReturnType<typeof createECDH>; authSecret: string },
  ): Buffer;
};

const require = createRequire(import.meta.url);
const { decrypt } = require('http_ece') as Ece;

/** A browser's part of a subscription, with its own keys that decrypt posts. */
export type Receiver = {
  /** Base64url, as `PushSubscription.toJSON().keys` has them. */
  keys: { p256dh: string; auth: string };
  /** The text of an encrypted body. @throws if it was not encrypted for these keys. */
  read(body: Buffer): string;
  /** The same, as the contract's payload. @throws ZodError if it has another shape. */
  open(body: Buffer): PushPayload;
};

export function newReceiver(): Receiver {
  const own = createECDH('prime256v1');
  const p256dh = own.generateKeys().toString('base64url');
  const auth = randomBytes(16).toString('base64url');
  const read = (body: Buffer): string =>
    decrypt(body, { version: 'aes128gcm', privateKey: own, authSecret: auth }).toString('utf8');
  return {
    keys: { p256dh, auth },
    read,
    open: (body) => PushPayload().parse(JSON.parse(read(body))),
  };
}
