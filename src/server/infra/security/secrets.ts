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

/** Keys of what is stored as a hash, which cannot be made anew: they stay when SECRET_KEY is rotated. */
const hashing = ['pepper', 'phones', 'webhooks'] as const satisfies readonly Purpose[];
type HashingKeys = Readonly<Record<(typeof hashing)[number], Buffer>>;

/** The installation's secrets: the same on every node, never logged, never in an answer. */
export type Secrets = {
  /** The key of a purpose, 32 bytes. `links` signs addresses, `pepper` keeps codes unreadable, `phones` the numbers of erased accounts, `webhooks` the words of handshakes. */
  key(purpose: Exclude<Purpose, 'sealing'>): Buffer;
  /** Encrypts for storage; `context` says where it lies, and must be the same when it is opened. */
  seal(plain: string | Uint8Array, context: string): Buffer;
  /** What was sealed; `undefined` when it was changed, lies elsewhere, or the key is another. */
  open(sealed: Uint8Array, context: string): Buffer | undefined;
  /** True when a sealed value has to be sealed anew before SECRET_KEY_SECOND can be removed. */
  isOutdated(sealed: Uint8Array): boolean;
};

/** The keys of the settings: with the first values are sealed, the second opens what it has sealed as well. */
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
 * The installation's secrets, made at its first start.
 *
 * All keys are derived (HKDF-SHA256) from 32 random bytes in `installation_secrets`, together with SECRET_KEY where it
 * is set: then a copy of the database alone opens nothing. Of several nodes that start at once, the first row wins
 * and all read it. The keys of stored hashes are kept sealed in a row of their own: they outlive a rotation of
 * SECRET_KEY (docs/operating.md#another-secret_key). With another SECRET_KEY and without SECRET_KEY_SECOND, sealed
 * values stay closed.
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
  // With a key that opens nothing, `refuseOtherKey` ends the start: its hashing keys must not be stored.
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

/** Counts of sealed values: all, those that open, and those that open with SECRET_KEY_SECOND only. */
export type SealedCounts = { sealed: number; opened: number; outdated: number };

async function countSealed(allAccountsSql: Sql, secrets: Secrets): Promise<SealedCounts> {
  const rows = await allAccountsSql<{ name: string; value: Buffer }[]>`
    select name, value from installation_secrets where name <> ${ROOT}`;
  const opened = rows.filter(({ name, value }) => secrets.open(value, name) !== undefined);
  const outdated = opened.filter(({ value }) => secrets.isOutdated(value));
  return { sealed: rows.length, opened: opened.length, outdated: outdated.length };
}

/** Secrets derived from a root of 32 bytes and the settings; the same root and settings give the same secrets. */
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

/** The key that sealed a value. */
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

/** A column of sealed values, listed by the domain that owns the table. */
export type SealedColumn = {
  table: string;
  column: string;
  /** The columns that identify a row, of types uuid or text, in the order of an index. */
  key: readonly string[];
  /** The context a row's value is sealed for, by its key; undefined when the value is not sealed. */
  context: (key: Readonly<Record<string, string>>) => string | undefined;
};

/** The installation's own sealed values. */
export const installationSecrets: SealedColumn = {
  table: 'installation_secrets',
  column: 'value',
  key: ['name'],
  context: ({ name }) => (name === ROOT ? undefined : name),
};

const PAGE = 500;

/**
 * Seals with SECRET_KEY what SECRET_KEY_SECOND has sealed. May be repeated, and run while the application does: a value
 * that changes meanwhile is left as it is.
 *
 * @returns how many values were sealed anew, and how many open with neither key.
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

/** The rows of a column that hold a value, in the order of their key. */
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

/** Names or values, separated by commas. */
const listOf = (sql: Sql, parts: readonly (Fragment | string)[]): Fragment =>
  parts.slice(1).reduce<Fragment>((list, part) => sql`${list}, ${part}`, sql`${parts[0] ?? ''}`);
