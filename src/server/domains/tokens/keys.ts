import { randomBytes, hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { API_KEY_PATTERN, type ChannelName, type Scope } from '#contract/tokens.ts';
import type { KeyHolder } from '#server/infra/endpoints.ts';
import { sha256 } from '#server/infra/security/secrets.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { withEachAccount } from '#server/infra/postgres/distribution/scope.ts';
import { gather } from '#server/infra/postgres/gather.ts';
import { type HeldAccess, allowScope, checkAccess } from '#server/domains/tokens/access.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 43;
const CHECK_LENGTH = 6;
const HINT_LENGTH = 4;
/** The largest multiple of 62 in a byte: larger values would favour the first letters. */
const UNBIASED_BELOW = 248;

/** A new API key; the full key is never stored. */
export type NewKey = { key: string; hash: Buffer; hint: string };

/** Creates a key with 256 random bits; `kbr_test_` for the simulator. */
export function makeKey(channel: ChannelName): NewKey {
  const body = `${channel === 'simulator' ? 'kbr_test_' : 'kbr_live_'}${randomLetters()}`;
  const key = body + checksumOf(body);
  return { key, hash: sha256(key), hint: key.slice(-HINT_LENGTH) };
}

/** Checks the shape and the checksum of a key: invalid keys need no look-up. */
export function checkKey(key: string): boolean {
  if (!API_KEY_PATTERN.test(key)) return false;
  return checksumOf(key.slice(0, -CHECK_LENGTH)) === key.slice(-CHECK_LENGTH);
}

function randomLetters(): string {
  let letters = '';
  while (letters.length < SECRET_LENGTH) {
    for (const byte of randomBytes(SECRET_LENGTH)) {
      if (byte < UNBIASED_BELOW && letters.length < SECRET_LENGTH) letters += alphabet[byte % 62];
    }
  }
  return letters;
}

function checksumOf(body: string): string {
  let rest = crc32(body);
  let letters = '';
  for (let index = 0; index < CHECK_LENGTH; index++) {
    letters = alphabet[rest % 62] + letters;
    rest = Math.floor(rest / 62);
  }
  return letters;
}

export type KeyRing = {
  /**
   * The holder of an API key; undefined if the key is malformed, unknown, revoked or expired.
   *
   * A look-up is cached for at most a second, so a revocation takes effect everywhere within that second.
   */
  find(key: string): Promise<KeyHolder | undefined>;
  /** Whether a token may be used now, and from this address. @throws Refusal `token_expired`, `address_not_allowed` */
  check(holder: HeldAccess, address: string): void;
  allow(holder: Pick<HeldAccess, 'scopes'>, scope: Scope): void;
  /** Records the use of a token: in the background, and at most once a minute. */
  touch(holder: Pick<KeyHolder, 'accountId' | 'tokenId'>): void;
  close(): Promise<void>;
};

type Entry = {
  /** The start of the query of `found`: later changes may be missing. */
  requestedAtMs: number;
  found: Promise<KeyHolder | undefined>;
  /** True while a background look-up refreshes an entry that is still served. */
  refreshing: boolean;
};

const MAX_AGE_MS = 1_000;
/** From this age on the next look-up starts in the background, so that a busy key never waits for one. */
const REFRESH_AGE_MS = 500;
/** Refreshes wait to be batched: with 50 busy keys one statement reads a dozen. */
const REFRESH_WAIT_MS = 200;
const KEYS_MAX = 500;
const ENTRIES_MAX = 10_000;
const TOUCH_EVERY_MS = 60_000;
const TOUCH_DELAY_MS = 1_000;

type Options = {
  allAccountsSql: Sql;
  /** Receives errors of recording a use, which lose at most a minute of "last used". */
  report: (error: unknown) => void;
  now: () => Date;
  /** A monotonic clock, in milliseconds. */
  clockMs?: () => number;
};

/** Opens the look-up of API keys, the first step of every API call: one SHA-256 and a map. */
export function openKeyRing({
  allAccountsSql,
  report,
  now,
  clockMs = () => performance.now(),
}: Options): KeyRing {
  const entries = new Map<string, Entry>();
  const usage = openUsageRecorder(allAccountsSql, report, clockMs);

  const find = (digests: readonly string[]) => holdersOf(allAccountsSql, digests);
  const findNow = gather(find, { waitMs: 0, sizeMax: KEYS_MAX, runsMax: 2 });
  const findSoon = gather(find, { waitMs: REFRESH_WAIT_MS, sizeMax: KEYS_MAX });
  const lookUp = (digest: string, isUrgent = true): Entry => {
    const entry: Entry = {
      requestedAtMs: clockMs(),
      found: isUrgent ? findNow(digest) : findSoon(digest),
      refreshing: false,
    };
    entry.found.catch(() => {
      if (entries.get(digest) === entry) entries.delete(digest);
    });
    return entry;
  };

  const store = (digest: string, entry: Entry) => {
    entries.delete(digest);
    entries.set(digest, entry);
    if (entries.size <= ENTRIES_MAX) return;
    const [oldest] = entries.keys();
    if (oldest !== undefined) entries.delete(oldest);
  };

  const refresh = (digest: string, old: Entry) => {
    old.refreshing = true;
    const latest = lookUp(digest, false);
    latest.found.then(
      () => {
        if ((entries.get(digest)?.requestedAtMs ?? -Infinity) < latest.requestedAtMs)
          store(digest, latest);
      },
      () => undefined,
    );
  };

  return {
    async find(key) {
      if (!checkKey(key)) return undefined;
      const digest = hash('sha256', key, 'base64');
      const known = entries.get(digest);
      const ageMs = known ? clockMs() - known.requestedAtMs : Infinity;
      if (known && ageMs < MAX_AGE_MS) {
        if (ageMs > REFRESH_AGE_MS && !known.refreshing) refresh(digest, known);
        return known.found;
      }
      const entry = lookUp(digest);
      store(digest, entry);
      return entry.found;
    },
    check: (holder, address) => checkAccess(holder, { address, now: now() }),
    allow: allowScope,
    touch: usage.record,
    close: usage.close,
  };
}

type HolderRow = Omit<KeyHolder, 'simulated' | 'readAtMs'> & { digest: string };

/** In the order of the hashes (base64); undefined for unknown keys. */
async function holdersOf(
  allAccountsSql: Sql,
  digests: readonly string[],
): Promise<(KeyHolder | undefined)[]> {
  const readAtMs = performance.now();
  const rows = await allAccountsSql<HolderRow[]>`
    select t.account_id as "accountId", t.token_id as "tokenId", t.status, t.channel, t.phone,
      t.daily_limit as "dailyLimit", a.status as "accountStatus",
      t.scopes, t.allowed_addresses as "allowedAddresses", t.key_in_address as "keyInAddress",
      to_char(t.expires_on, 'YYYY-MM-DD') as "expiresOn", encode(k.key_hash, 'base64') as digest
    from token_keys k
    join tokens t on t.account_id = k.account_id and t.token_id = k.token_id
    join accounts a on a.account_id = k.account_id
    where k.key_hash = any(${digests.map((digest) => Buffer.from(digest, 'base64'))}::bytea[])
      and k.revoked_at is null and t.deleted_at is null
      and (k.expires_at is null or k.expires_at > clock_timestamp())`;
  const holders = new Map(
    rows.map(({ digest, ...row }) => [
      digest,
      { ...row, simulated: row.channel === 'simulator', readAtMs },
    ]),
  );
  return digests.map((digest) => holders.get(digest));
}

/** Collects used tokens and writes them together, a second later. */
function openUsageRecorder(
  allAccountsSql: Sql,
  report: (error: unknown) => void,
  clockMs: () => number,
) {
  const recordedAtMs = new Map<string, number>();
  let pending = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const write = () => {
    timer = undefined;
    const tokens = [...pending].sort(([a], [b]) => (a < b ? -1 : 1));
    pending = new Map();
    if (tokens.length === 0) return;
    writing = writeUsage(allAccountsSql, tokens).catch(report);
  };

  return {
    record({ accountId, tokenId }: Pick<KeyHolder, 'accountId' | 'tokenId'>) {
      const now = clockMs();
      if (now - (recordedAtMs.get(tokenId) ?? -Infinity) < TOUCH_EVERY_MS) return;
      if (recordedAtMs.size >= ENTRIES_MAX) recordedAtMs.clear();
      recordedAtMs.set(tokenId, now);
      pending.set(tokenId, accountId);
      timer ??= setTimeout(write, TOUCH_DELAY_MS).unref();
    },
    async close() {
      clearTimeout(timer);
      await writing;
      write();
      await writing;
    },
  };
}

async function writeUsage(
  allAccountsSql: Sql,
  tokens: readonly (readonly [string, string])[],
): Promise<void> {
  const used = tokens.map(([tokenId, accountId]) => ({ tokenId, accountId }));
  await withEachAccount(
    used,
    (some) => allAccountsSql`
      update tokens t set last_used_at = clock_timestamp()
      from unnest(
        ${some.map(({ accountId }) => accountId)}::uuid[], ${some.map(({ tokenId }) => tokenId)}::uuid[]
      ) as u(account_id, token_id)
      where t.account_id = u.account_id and t.token_id = u.token_id
        and (t.last_used_at is null or t.last_used_at < clock_timestamp() - interval '1 minute')`,
  );
}
