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
import { type Fragment, identifier } from '#server/infra/postgres/sql.ts';
import { StartError } from '#server/infra/start-error.ts';

/** Every purpose has its own derived key. */
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

/** Keys of stored hashes, which cannot be recomputed: they survive a rotation of SECRET_KEY. */
const hashing = ['pepper', 'phones', 'webhooks'] as const satisfies readonly Purpose[];
type HashingKeys = Readonly<Record<(typeof hashing)[number], Buffer>>;

/** The installation's secrets: the same on every node, never logged, never in a response. */
export type Secrets = {
  /** The key of a purpose, 32 bytes. `links` signs addresses, `pepper` keeps codes unreadable, `phones` the numbers of erased accounts, `webhooks` the words of handshakes. */
  key(purpose: Exclude<Purpose, 'sealing'>): Buffer;
  /** Encrypts for storage; `context` identifies the place, and must be the same for opening. */
  seal(plain: string | Uint8Array, context: string): Buffer;
  /** Decrypts; `undefined` if the value was changed, is in another place, or has another key. */
  open(sealed: Uint8Array, context: string): Buffer | undefined;
  /** True if a sealed value must be resealed before SECRET_KEY_SECOND can be removed. */
  isOutdated(sealed: Uint8Array): boolean;
};

/** Values are sealed with the first key; the second also opens those that it has sealed. */
export type SecretKeys = {
  SECRET_KEY?: string | undefined;
  /** `none` is the key of an installation that began without one. */
  SECRET_KEY_SECOND?: string | undefined;
};

const ROOT = 'root';
const HASHING = 'hashing keys';
const VERSION = 1;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + KEY_ID_BYTES + NONCE_BYTES;

/**
 * Derives all keys (HKDF-SHA256) from 32 random bytes in `installation_secrets`, created by the first start, and from
 * SECRET_KEY if set: a copy of the database alone then decrypts nothing. The keys of stored hashes are sealed in
 * their own row, because they survive a rotation of SECRET_KEY (docs/operating.md#another-secret_key).
 */
export async function readSecrets(allAccountsSql: Sql, keys: SecretKeys = {}): Promise<Secrets> {
  await allAccountsSql`
    insert into installation_secrets (name, value) values (${ROOT}, ${randomBytes(32)})
    on conflict (name) do nothing`;
  const [row] = await allAccountsSql<{ value: Buffer }[]>`
    select value from installation_secrets where name = ${ROOT}`;
  if (row?.value.length !== 32) throw new Error('installation_secrets: the root is not 32 bytes');
  const secrets = secretsFrom(row.value, keys);
  const { sealed, opened, outdated } = await countSealed(allAccountsSql, secrets);
  // If the key opens nothing, `refuseOtherKey` ends the start: its hashing keys must not be stored.
  if (sealed > 0 && opened === 0) return secrets;
  const wasSealedBySecond = sealed > 0 && outdated === sealed;
  const origin = wasSealedBySecond
    ? secretsFrom(row.value, { SECRET_KEY: secondOf(keys) ?? '' })
    : secrets;
  const stored = await storedSecret(allAccountsSql, secrets, {
    name: HASHING,
    make: () => JSON.stringify(hashing.map((purpose) => origin.key(purpose).toString('base64'))),
  });
  const [pepper = '', phones = '', webhooks = ''] = JSON.parse(stored) as string[];
  const bytes = (text: string) => Buffer.from(text, 'base64');
  return secretsFrom(row.value, keys, {
    pepper: bytes(pepper),
    phones: bytes(phones),
    webhooks: bytes(webhooks),
  });
}

const secondOf = ({ SECRET_KEY_SECOND: second }: SecretKeys): string | undefined =>
  second === 'none' ? '' : second;

/** A stable id, independent of SECRET_KEY; reveals no secret. Call after `readSecrets`. */
export async function installationId(allAccountsSql: Sql): Promise<string> {
  const [row] = await allAccountsSql<{ value: Buffer }[]>`
    select value from installation_secrets where name = ${ROOT}`;
  if (!row) throw new Error('installation_secrets: there is no root yet');
  return Buffer.from(hkdfSync('sha256', row.value, 'kabari', 'installation', 16)).toString('hex');
}

/**
 * Created at the first start and stored sealed; the same on every node.
 *
 * @param name identifies the secret. @param make creates it if missing; of concurrent first starts, one value is
 *   stored.
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
 * Refuses a SECRET_KEY other than the installation's: such a node would reject tokens and links of the others.
 *
 * @throws StartError if none of the sealed values in the database opens.
 */
export async function refuseOtherKey(allAccountsSql: Sql, secrets: Secrets): Promise<void> {
  const { sealed, opened } = await countSealed(allAccountsSql, secrets);
  if (sealed === 0 || opened > 0) return;
  throw new StartError(
    'SECRET_KEY is another than the one this installation has used, if it has used one, and nothing that was sealed opens with it; set that one. If there was none before, start once with SECRET_KEY_SECOND=none (docs/operating.md, Another SECRET_KEY). If it is lost, or is to be used from now on, docs/running/incidents.md says what that means and how to go on.',
  );
}

/** Counts the sealed values of `installation_secrets` by key; all zero before the first start. */
export async function countSealedSecrets(
  allAccountsSql: Sql,
  keys: SecretKeys = {},
): Promise<SealedCounts> {
  const [root] = await allAccountsSql<{ value: Buffer }[]>`
    select value from installation_secrets where name = ${ROOT}`;
  if (!root) return { sealed: 0, opened: 0, outdated: 0 };
  return countSealed(allAccountsSql, secretsFrom(root.value, keys));
}

/** `outdated`: opened with SECRET_KEY_SECOND only. */
export type SealedCounts = { sealed: number; opened: number; outdated: number };

async function countSealed(allAccountsSql: Sql, secrets: Secrets): Promise<SealedCounts> {
  const rows = await allAccountsSql<{ name: string; value: Buffer }[]>`
    select name, value from installation_secrets where name <> ${ROOT}`;
  const opened = rows.filter(({ name, value }) => secrets.open(value, name) !== undefined);
  const outdated = opened.filter(({ value }) => secrets.isOutdated(value));
  return { sealed: rows.length, opened: opened.length, outdated: outdated.length };
}

/** Derives the secrets from a root of 32 bytes and the settings, deterministically. */
export function secretsFrom(
  root: Uint8Array,
  keys: SecretKeys = {},
  stored?: HashingKeys,
): Secrets {
  const deriving = (secretKey: string) => {
    const material = Buffer.concat([root, Buffer.from(secretKey, 'utf8')]);
    return (purpose: Purpose) => Buffer.from(hkdfSync('sha256', material, 'kabari', purpose, 32));
  };
  const derive = deriving(keys.SECRET_KEY ?? '');
  const derived = new Map<Purpose, Buffer>(purposes.map((purpose) => [purpose, derive(purpose)]));
  for (const purpose of hashing) if (stored) derived.set(purpose, stored[purpose]);
  const keyOf = (purpose: Purpose): Buffer => {
    const key = derived.get(purpose);
    if (key === undefined) throw new Error(`no key for ${purpose}`);
    return key;
  };
  const second = secondOf(keys);
  const current = sealingKey(keyOf('sealing'));
  const opening = [
    current,
    ...(second === undefined ? [] : [sealingKey(deriving(second)('sealing'))]),
  ];
  return {
    key: keyOf,
    seal: (plain, context) => sealWith(current, plain, context),
    open: (sealed, context) => {
      const key = opening.find(({ id }) => keyIdOf(sealed).equals(id));
      return key && openWith(key, sealed, context);
    },
    isOutdated: (sealed) => !keyIdOf(sealed).equals(current.id),
  };
}

type SealingKey = { key: Buffer; id: Buffer };

const sealingKey = (key: Buffer): SealingKey => ({
  key,
  id: createHash('sha256').update('id').update(key).digest().subarray(0, KEY_ID_BYTES),
});

const keyIdOf = (sealed: Uint8Array): Buffer => Buffer.from(sealed.subarray(1, 1 + KEY_ID_BYTES));

/** Layout: version, key id, nonce, tag, text; version and key id are bound like the context. */
function sealWith({ key, id }: SealingKey, plain: string | Uint8Array, context: string): Buffer {
  const head = Buffer.concat([Buffer.of(VERSION), id, randomBytes(NONCE_BYTES)]);
  const cipher = createCipheriv('aes-256-gcm', key, head.subarray(-NONCE_BYTES));
  cipher.setAAD(boundTo(head, context));
  const text = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([head, cipher.getAuthTag(), text]);
}

function openWith({ key }: SealingKey, given: Uint8Array, context: string): Buffer | undefined {
  const sealed = Buffer.from(given);
  if (sealed.length < HEAD_BYTES + TAG_BYTES || sealed[0] !== VERSION) return undefined;
  const head = sealed.subarray(0, HEAD_BYTES);
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

/** HMAC-SHA256 over the parts, each prefixed with its length, so that they are delimited. */
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

/** SHA-256, for tokens of at least 128 random bits, which need no slow hash. */
export const sha256 = (text: string | Uint8Array): Buffer =>
  createHash('sha256').update(text).digest();

/** Compares in constant time; values of different lengths differ. */
export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && timingSafeEqual(a, b);

export type SealedColumn = {
  table: string;
  column: string;
  /** The columns that identify a row, of types uuid or text, in the order of an index. */
  key: readonly string[];
  /** The context of a row's value, by its key; undefined if the value is not sealed. */
  context: (key: Readonly<Record<string, string>>) => string | undefined;
};

export const installationSecrets: SealedColumn = {
  table: 'installation_secrets',
  column: 'value',
  key: ['name'],
  context: ({ name }) => (name === ROOT ? undefined : name),
};

const PAGE = 500;

/**
 * Reseals values of SECRET_KEY_SECOND. May be repeated and run while the application runs; skips concurrent changes.
 *
 * @returns how many values were resealed, and how many open with neither key.
 */
export async function reseal(
  allAccountsSql: Sql,
  secrets: Secrets,
  columns: readonly SealedColumn[],
): Promise<{ resealed: number; closed: number }> {
  const counts = { resealed: 0, closed: 0 };
  for (const sealed of columns) {
    for await (const row of rowsOf(allAccountsSql, sealed)) {
      const { value, ...key } = row;
      const context = sealed.context(key);
      if (context === undefined || !secrets.isOutdated(value)) continue;
      const plain = secrets.open(value, context);
      if (plain === undefined) counts.closed++;
      else {
        const { table, column } = sealed;
        const { count } = await allAccountsSql`
          update ${identifier(table)} set ${identifier(column)} = ${secrets.seal(plain, context)}
          where (${listOf(allAccountsSql, sealed.key.map(identifier))})
              = (${listOf(
                allAccountsSql,
                sealed.key.map((name) => key[name] ?? ''),
              )})
            and ${identifier(column)} = ${value}`;
        counts.resealed += count;
      }
    }
  }
  return counts;
}

type SealedRow = Record<string, string> & { value: Buffer };

async function* rowsOf(sql: Sql, { table, column, key }: SealedColumn): AsyncGenerator<SealedRow> {
  const names = listOf(sql, key.map(identifier));
  for (let last: SealedRow | undefined; ;) {
    const after =
      last &&
      sql`and (${names}) > (${listOf(
        sql,
        key.map((name) => last?.[name] ?? ''),
      )})`;
    const page: SealedRow[] = await sql<SealedRow[]>`
      select ${names}, ${identifier(column)} as value from ${identifier(table)}
      where ${identifier(column)} is not null ${after ?? sql``}
      order by ${names} limit ${PAGE}`;
    yield* page;
    last = page.at(-1);
    if (page.length < PAGE) return;
  }
}

const listOf = (sql: Sql, parts: readonly (Fragment | string)[]): Fragment =>
  parts.slice(1).reduce<Fragment>((list, part) => sql`${list}, ${part}`, sql`${parts[0] ?? ''}`);
