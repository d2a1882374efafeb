import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import type { Sql } from '#server/infra/postgres/database.ts';
import { StartError } from '#server/infra/start-error.ts';

/** What the application derives a key of its own for; no two of these ever share one. */
const purposes = [
  'pepper',
  'links',
  'captcha',
  'captcha-answer',
  'phones',
  'webhooks',
  'sealing',
] as const;
type Purpose = (typeof purposes)[number];

/** The installation's secrets: the same on every node, never logged, never in an answer. */
export type Secrets = {
  /** The key of a purpose, 32 bytes. `links` signs addresses, `pepper` keeps codes unreadable, `phones` the numbers of erased accounts, `webhooks` the words of handshakes. */
  key(purpose: Exclude<Purpose, 'sealing'>): Buffer;
  /** Encrypts for storage; `context` says where it lies, and must be the same when it is opened. */
  seal(plain: string | Uint8Array, context: string): Buffer;
  /** What was sealed; `undefined` when it was changed, lies elsewhere, or the key is another. */
  open(sealed: Uint8Array, context: string): Buffer | undefined;
};

const ROOT = 'root';
const VERSION = 1;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + KEY_ID_BYTES + NONCE_BYTES;

/**
 * The installation's secrets, made at its first start.
 *
 * Everything is derived (HKDF-SHA256) from 32 bytes of chance that lie in `installation_secrets`, together
 * with the setting SECRET_KEY where there is one: then a copy of the database alone opens nothing.
 * Any number of nodes may start at once: the first row wins and all read it. Another SECRET_KEY
 * means other secrets: codes and captchas under way end, and what was sealed stays closed.
 */
export async function readSecrets(allAccountsSql: Sql, secretKey?: string): Promise<Secrets> {
  await allAccountsSql`
    insert into installation_secrets (name, value) values (${ROOT}, ${randomBytes(32)})
    on conflict (name) do nothing`;
  const [row] = await allAccountsSql<{ value: Buffer }[]>`
    select value from installation_secrets where name = ${ROOT}`;
  if (row?.value.length !== 32) throw new Error('installation_secrets: the root is not 32 bytes');
  return secretsFrom(row.value, secretKey);
}

/** Names an installation, whatever its SECRET_KEY is; tells nothing of its secrets. After `readSecrets`. */
export async function installationId(allAccountsSql: Sql): Promise<string> {
  const [row] = await allAccountsSql<{ value: Buffer }[]>`
    select value from installation_secrets where name = ${ROOT}`;
  if (!row) throw new Error('installation_secrets: there is no root yet');
  return Buffer.from(hkdfSync('sha256', row.value, 'kabari', 'installation', 16)).toString('hex');
}

/**
 * A secret value of the installation, made at its first start and stored sealed; the same on every node.
 *
 * @param name says what it is; sealed under another SECRET_KEY it cannot be opened.
 * @param make called where there is none yet; of several nodes that start at once, one's value stays.
 */
export async function storedSecret(
  allAccountsSql: Sql,
  secrets: Secrets,
  { name, make }: { name: string; make: () => string },
): Promise<string> {
  const open = async () => {
    const [row] = await allAccountsSql<{ value: Buffer }[]>`
      select value from installation_secrets where name = ${name}`;
    return row && secrets.open(row.value, name);
  };
  let opened = await open();
  if (!opened) {
    await allAccountsSql`
      insert into installation_secrets (name, value) values (${name}, ${secrets.seal(make(), name)})
      on conflict (name) do nothing`;
    opened = await open();
  }
  if (!opened) throw new Error(`installation_secrets: ${name} cannot be opened`);
  return opened.toString('utf8');
}

/**
 * Refuses another SECRET_KEY than the one that the installation has sealed with: such a node would take part,
 * and refuse what the others have handed out.
 *
 * @throws StartError when nothing that is sealed in the database opens.
 */
export async function refuseOtherKey(allAccountsSql: Sql, secrets: Secrets): Promise<void> {
  const { sealed, opened } = await countSealed(allAccountsSql, secrets);
  if (sealed === 0 || opened > 0) return;
  throw new StartError(
    'SECRET_KEY is another than the one this installation has used, if it has used one, and nothing that was sealed opens with it; set that one. If it is lost, or is to be used from now on, docs/running/incidents.md says what that means and how to go on.',
  );
}

/** Whether all that is sealed in the database opens with the setting SECRET_KEY; true when nothing is sealed yet. */
export async function opensSecrets(allAccountsSql: Sql, secretKey?: string): Promise<boolean> {
  const [root] = await allAccountsSql<{ value: Buffer }[]>`
    select value from installation_secrets where name = ${ROOT}`;
  if (!root) return true;
  const secrets = secretsFrom(root.value, secretKey);
  const { sealed, opened } = await countSealed(allAccountsSql, secrets);
  return opened === sealed;
}

/** How many values are sealed in the database, and how many of them open. */
async function countSealed(
  allAccountsSql: Sql,
  secrets: Secrets,
): Promise<{ sealed: number; opened: number }> {
  const rows = await allAccountsSql<{ name: string; value: Buffer }[]>`
    select name, value from installation_secrets where name <> ${ROOT}`;
  const opened = rows.filter(({ name, value }) => secrets.open(value, name) !== undefined);
  return { sealed: rows.length, opened: opened.length };
}

/**
 * Secrets derived from a root of 32 bytes and the setting; the same root gives the same secrets.
 */
export function secretsFrom(root: Uint8Array, secretKey = ''): Secrets {
  const material = Buffer.concat([root, Buffer.from(secretKey, 'utf8')]);
  const derive = (purpose: Purpose) =>
    Buffer.from(hkdfSync('sha256', material, 'kabari', purpose, 32));
  const keys = new Map<Purpose, Buffer>(purposes.map((purpose) => [purpose, derive(purpose)]));
  const keyOf = (purpose: Purpose): Buffer => {
    const key = keys.get(purpose);
    if (key === undefined) throw new Error(`no key for ${purpose}`);
    return key;
  };
  const sealing = keyOf('sealing');
  const keyId = createHash('sha256')
    .update('id')
    .update(sealing)
    .digest()
    .subarray(0, KEY_ID_BYTES);
  return {
    key: keyOf,
    seal: (plain, context) => sealWith(sealing, keyId, plain, context),
    open: (sealed, context) => openWith(sealing, keyId, sealed, context),
  };
}

/** Layout: version, key id, nonce, tag, text; version and key id are bound like the context. */
function sealWith(key: Buffer, keyId: Buffer, plain: string | Uint8Array, context: string): Buffer {
  const head = Buffer.concat([Buffer.of(VERSION), keyId, randomBytes(NONCE_BYTES)]);
  const cipher = createCipheriv('aes-256-gcm', key, head.subarray(-NONCE_BYTES));
  cipher.setAAD(boundTo(head, context));
  const text = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([head, cipher.getAuthTag(), text]);
}

function openWith(
  key: Buffer,
  keyId: Buffer,
  given: Uint8Array,
  context: string,
): Buffer | undefined {
  const sealed = Buffer.from(given);
  if (sealed.length < HEAD_BYTES + TAG_BYTES || sealed[0] !== VERSION) return undefined;
  const head = sealed.subarray(0, HEAD_BYTES);
  if (!head.subarray(1, 1 + KEY_ID_BYTES).equals(keyId)) return undefined;
  const cipher = createDecipheriv('aes-256-gcm', key, head.subarray(-NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  cipher.setAAD(boundTo(head, context));
  cipher.setAuthTag(sealed.subarray(HEAD_BYTES, HEAD_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([cipher.update(sealed.subarray(HEAD_BYTES + TAG_BYTES)), cipher.final()]);
  } catch {
    return undefined;
  }
}

const boundTo = (head: Buffer, context: string): Buffer =>
  Buffer.concat([head.subarray(0, 1 + KEY_ID_BYTES), Buffer.from(context, 'utf8')]);

/**
 * HMAC-SHA256 over the parts; each carries its length, so that parts cannot run into each other.
 */
export function hmac(key: Uint8Array, ...parts: readonly (string | Uint8Array)[]): Buffer {
  const mac = createHmac('sha256', key);
  for (const part of parts) {
    const bytes = typeof part === 'string' ? Buffer.from(part, 'utf8') : part;
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    mac.update(length).update(bytes);
  }
  return mac.digest();
}

/** SHA-256, for tokens of 128 random bits and more: nothing slower is needed to keep those. */
export const sha256 = (text: string | Uint8Array): Buffer =>
  createHash('sha256').update(text).digest();

/** Compares without telling by its time where two values differ; other lengths are not the same. */
export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && timingSafeEqual(a, b);
