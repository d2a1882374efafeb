import { performance } from 'node:perf_hooks';
import {
  type AuditCheck,
  type AuditFinding,
  AUDIT_COUNT_MAX,
  type AuditOutcome,
} from '#contract/operator/audit.ts';
import { newId } from '#server/infra/ids.ts';
import { exclusiveSnapshot } from '#server/infra/postgres/alone.ts';
import type { Sql, Tx, Fragment } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { createHash } from 'node:crypto';
import { civilDate, wibMidnight } from '#contract/base/time.ts';
import { appendToSealFile, readSealFile } from '#server/infra/seal-file.ts';
import { publicId } from '#contract/base/ids.ts';
import { NOBODY } from '#server/infra/acts.ts';

/** Advisory lock of a verification; the number is arbitrary but the same on every node. */
const CHECK_LOCK = 7_206_314;

/**
 * Verifies all chains of the audit log and their seals in one snapshot; one verification at a time on all nodes.
 *
 * @param folder contains the file of seals; without it the seals are only compared with each other.
 * @throws Refusal `check_running`.
 */
export const verifyAudit = (
  allAccountsSql: Sql,
  folder: string | undefined,
): Promise<ChainVerification> =>
  exclusiveSnapshot(allAccountsSql, CHECK_LOCK, async (tx) => {
    const walked = await verifyChains(tx);
    return { ...walked, findings: [...walked.findings, ...(await verifyAuditSeals(tx, folder))] };
  });

type Deps = {
  allAccountsSql: Sql;
  now: () => Date;
  folder: string;
  /** Reads the log from here; by default from where the result is stored. */
  readSql?: Sql;
};

/** @throws Refusal `check_running`. */
export async function storeAuditCheck({
  allAccountsSql,
  now,
  folder,
  readSql = allAccountsSql,
}: Deps): Promise<AuditCheck> {
  const begun = performance.now();
  const { lines, chains, findings } = await verifyAudit(readSql, folder);
  const check: AuditCheck = {
    at: now(),
    ok: findings.length === 0,
    lines,
    chains,
    findings,
    millis: Math.round(performance.now() - begun),
  };
  await allAccountsSql`
    insert into audit_checks (check_id, at, is_ok, lines, chains, findings, millis)
    values (${newId()}, ${check.at}, ${check.ok}, ${lines}, ${chains}, ${json(findings)},
      ${check.millis})`;
  return check;
}

export async function lastAuditCheck(allAccountsSql: Sql | Tx): Promise<AuditCheck | undefined> {
  const [found] = await allAccountsSql<AuditCheck[]>`
    select at, is_ok as ok, lines, chains, findings, millis from audit_checks
    order by check_id desc limit 1`;
  return found;
}

type SealsDeps = {
  allAccountsSql: Sql;
  now: () => Date;
  folder: string;
};

type Seal = { seal_no: number; day: string; previous: string; hash: string };

const DAY_MS = 86_400_000;
const ROWS_AT_ONCE = 4_000;
/** The previous hash of the first seal. */
const GENESIS_HASH = '0'.repeat(64);

/**
 * Seals reveal entries removed together with their head. At most one seal a day, dated yesterday.
 */
export async function sealAudit({ allAccountsSql, now, folder }: SealsDeps): Promise<void> {
  const day = civilDate(new Date(now().getTime() - DAY_MS));
  await allAccountsSql.begin(async (tx) => {
    const [last] = await tx<Seal[]>`
      select seal_no, day, previous, hash from audit_seals order by seal_no desc limit 1`;
    if (last && last.day >= day) return;
    const number = (last?.seal_no ?? 0) + 1;
    const previous = last?.hash ?? GENESIS_HASH;
    const { count } = await tx`
      insert into audit_seal_heads (account_id, seal_no, seq, hash)
      select h.account_id, ${number}, h.seq, h.hash
      from audit_heads h left join lateral (
        select seq from audit_seal_heads s where s.account_id = h.account_id
        order by seal_no desc limit 1
      ) sealed on true
      where h.seq > coalesce(sealed.seq, 0)`;
    const hash = await sealHash(tx, { seal_no: number, day, previous });
    await tx`
      insert into audit_seals (seal_no, day, previous, hash, chains, created_at)
      values (${number}, ${day}, ${previous}, ${hash}, ${count}, ${now()})`;
  });
  await appendSeals(allAccountsSql, folder);
}

async function sealHash(
  tx: Tx,
  { seal_no: number, day, previous }: Omit<Seal, 'hash'>,
): Promise<string> {
  const hash = createHash('sha256').update(`audit\n${previous}\n${number}\n${day}\n`);
  let last = '';
  for (;;) {
    const page: { account_id: string; line: string }[] = await tx<
      { account_id: string; line: string }[]
    >`
      select account_id, account_id || ' ' || seq || ' ' || encode(hash, 'hex') as line
      from audit_seal_heads
      where seal_no = ${number} and (${last} = '' or account_id > nullif(${last}, '')::uuid)
      order by account_id limit ${ROWS_AT_ONCE}`;
    for (const { line } of page) hash.update(`${line}\n`);
    const end = page.at(-1);
    if (!end || page.length < ROWS_AT_ONCE) return hash.digest('hex');
    last = end.account_id;
  }
}

type FiledSeal = { day: string; hash: string };

/**
 * Lines `audit 12 2026-11-22 <hash> <instant>`; skips partial lines, the first of a number counts.
 */
async function readSeals(folder: string): Promise<Map<number, FiledSeal>> {
  const seals = new Map<number, FiledSeal>();
  for (const line of (await readSealFile(folder)).split('\n')) {
    const found = /^audit (\d+) (\d{4}-\d{2}-\d{2}) ([0-9a-f]{64}) /.exec(line);
    if (!found) continue;
    const [, number, day = '', hash = ''] = found;
    if (!seals.has(Number(number))) seals.set(Number(number), { day, hash });
  }
  return seals;
}

/** Appends the seals that follow the file's newest, so that old lines are never rewritten. */
async function appendSeals(allAccountsSql: Sql, folder: string): Promise<void> {
  const known = Math.max(0, ...(await readSeals(folder)).keys());
  const missing = await allAccountsSql<(Seal & { created_at: Date })[]>`
    select seal_no, day, previous, hash, created_at from audit_seals where seal_no > ${known}
    order by seal_no`;
  await appendToSealFile(
    folder,
    missing.map(
      ({ seal_no, day, hash, created_at }) =>
        `audit ${seal_no} ${day} ${hash} ${created_at.toISOString()}`,
    ),
  );
}

const FINDINGS_MAX = 20;

/**
 * Differences from the seals: entries missing or changed; seals changed, removed, or only in the file.
 */
async function verifyAuditSeals(tx: Tx, folder: string | undefined): Promise<AuditFinding[]> {
  const lines = await tx<{ account: string; seq: number; day: string; is_gone: boolean }[]>`
    select s.account_id as account, s.seq, e.day, l.hash is null as is_gone
    from audit_seal_heads s join audit_seals e using (seal_no)
    left join audit_log l on (l.account_id, l.seq) = (s.account_id, s.seq)
    where l.hash is distinct from s.hash
    order by s.seal_no, s.account_id limit ${FINDINGS_MAX}`;
  const seal = await sealDifference(tx, folder);
  return [
    ...lines.map(({ is_gone, ...where }) =>
      findingOf({ ...where, kind: is_gone ? 'missing' : 'changed' }),
    ),
    ...(seal ? [findingOf({ kind: 'seal', account: null, ...seal })] : []),
  ];
}

async function sealDifference(
  tx: Tx,
  folder: string | undefined,
): Promise<{ seq: number; day: string } | undefined> {
  const filed = folder === undefined ? new Map<number, FiledSeal>() : await readSeals(folder);
  const seals = await tx<Seal[]>`
    select seal_no, day, previous, hash from audit_seals order by seal_no`;
  let before = { seal_no: 0, hash: GENESIS_HASH };
  for (const seal of seals) {
    const { seal_no, day, previous, hash } = seal;
    const isSame =
      seal_no === before.seal_no + 1 &&
      previous === before.hash &&
      (filed.get(seal_no)?.hash ?? hash) === hash &&
      (await sealHash(tx, seal)) === hash;
    if (!isSame) return { seq: seal_no, day };
    before = seal;
  }
  const gone = [...filed].find(([number]) => number > before.seal_no);
  return gone && { seq: gone[0], day: gone[1].day };
}

export type ChainVerification = {
  lines: number;
  chains: number;
  /** The first difference of each chain, ordered by account; at most a hundred. */
  findings: AuditFinding[];
};

type Line = {
  account_id: string;
  seq: number;
  at: Date;
  text: string;
  hash: Buffer;
  digest: Buffer;
  /** Null if address and facts were erased. */
  salt: Buffer | null;
  about: string;
  erased_wrongly: boolean;
};
type Head = { account_id: string; seq: number; hash: Buffer };

type Walk = {
  account: string;
  head: Head | undefined;
  seq: number;
  hash: Buffer;
  day: string | null;
  isBroken: boolean;
};
const CHAIN_FINDINGS_MAX = 100;
const NO_HASH = Buffer.alloc(0);

/**
 * Finds entries that were changed, removed, added, moved or erased without permission, and wrong heads. Reads pages,
 * so memory use does not grow with the log.
 *
 * @param tx a snapshot that sees all accounts.
 */
async function verifyChains(tx: Tx): Promise<ChainVerification> {
  const found: ChainVerification = { lines: 0, chains: 0, findings: [] };
  const heads = headsOf(tx);
  const nextHead = async () => (await heads.next()).value ?? undefined;
  let head = await nextHead();
  let walk: Walk | undefined;
  const add = (finding: AuditFinding | undefined) => {
    if (finding && found.findings.length < CHAIN_FINDINGS_MAX) found.findings.push(finding);
  };
  const finish = (chain: Walk) => {
    found.chains += 1;
    add(chain.head ? headDifference(chain, chain.head) : broken(chain, 'head', chain.seq));
  };
  /**
   * Finishes chains that have a head but no entry: those before this account, or all that remain.
   */
  const finishEmpty = async (before?: string) => {
    for (; head && (before === undefined || head.account_id < before); head = await nextHead()) {
      finish(beginning(head.account_id, head));
    }
  };
  for await (const line of linesOf(tx)) {
    if (walk?.account !== line.account_id) {
      if (walk) finish(walk);
      await finishEmpty(line.account_id);
      const own: Head | undefined = head?.account_id === line.account_id ? head : undefined;
      if (own) head = await nextHead();
      walk = beginning(line.account_id, own);
    }
    found.lines += 1;
    add(step(walk, line));
  }
  if (walk) finish(walk);
  await finishEmpty();
  return found;
}

const beginning = (account: string, head: Head | undefined): Walk => ({
  account,
  head,
  seq: 0,
  hash: NO_HASH,
  day: null,
  isBroken: false,
});

function step(walk: Walk, line: Line): AuditFinding | undefined {
  const { seq, hash: before } = walk;
  walk.seq = line.seq;
  walk.hash = line.hash;
  walk.day = civilDate(line.at);
  if (line.seq <= seq || line.seq > (walk.head?.seq ?? Infinity)) {
    return broken(walk, 'added', line.seq);
  }
  if (line.seq > seq + 1) return broken(walk, 'missing', seq + 1);
  const hash = createHash('sha256').update(before).update(line.text).digest();
  if (!hash.equals(line.hash)) return broken(walk, 'changed', line.seq);
  if (line.salt === null) {
    return line.erased_wrongly ? broken(walk, 'erased', line.seq) : undefined;
  }
  const digest = createHash('sha256').update(line.salt).update(line.about).digest();
  return digest.equals(line.digest) ? undefined : broken(walk, 'changed', line.seq);
}

function headDifference(walk: Walk, head: Head): AuditFinding | undefined {
  if (head.seq > walk.seq) return broken(walk, 'missing', walk.seq + 1);
  return head.hash.equals(walk.hash) ? undefined : broken(walk, 'head', head.seq);
}

/** Reports only the first difference of a chain, because the others follow from it. */
function broken(walk: Walk, kind: AuditFinding['kind'], seq: number): AuditFinding | undefined {
  if (walk.isBroken) return undefined;
  walk.isBroken = true;
  return findingOf({ kind, account: walk.account, seq, day: walk.day });
}

/** Entries of anonymous callers have no account. */
const findingOf = ({
  account,
  ...finding
}: Omit<AuditFinding, 'account_id'> & { account: string | null }): AuditFinding => ({
  ...finding,
  account_id: account === null || account === NOBODY ? null : publicId('account', account),
});

async function* linesOf(tx: Tx): AsyncGenerator<Line> {
  let last = { account_id: NOBODY, seq: 0 };
  for (;;) {
    const page: Line[] = await tx<Line[]>`
      select l.account_id, l.seq, l.at, l.hash, l.digest, l.salt,
        jsonb_build_array(
          l.account_id, l.seq, l.audit_id, (extract(epoch from l.at) * 1000000)::bigint,
          l.actor, l.act, l.outcome, l.request, encode(l.digest, 'hex')
        )::text as text,
        jsonb_build_array(l.ip, l.facts)::text as about,
        l.salt is null and (l.ip <> '' or l.facts <> '{}' or case
          when l.account_id = ${NOBODY}
            then l.audit_id >= uuid_floor(clock_timestamp() - interval '7 days')
          else not exists (
            select from accounts a where a.account_id = l.account_id and a.closed_at is not null
          )
        end) as erased_wrongly
      from audit_log l
      where (l.account_id, l.seq) > (${last.account_id}::uuid, ${last.seq}::bigint)
      order by l.account_id, l.seq limit ${ROWS_AT_ONCE}`;
    yield* page;
    const end = page.at(-1);
    if (!end || page.length < ROWS_AT_ONCE) return;
    last = end;
  }
}

async function* headsOf(tx: Tx): AsyncGenerator<Head, undefined> {
  let last = '';
  for (;;) {
    const page: Head[] = await tx<Head[]>`
      select account_id, seq, hash from audit_heads
      where ${last} = '' or account_id > nullif(${last}, '')::uuid
      order by account_id limit ${ROWS_AT_ONCE}`;
    yield* page;
    const end = page.at(-1);
    if (!end || page.length < ROWS_AT_ONCE) return undefined;
    last = end.account_id;
  }
}

/** Days are WIB days; both ends are included. */
export type AuditFilter = {
  from?: string | undefined;
  to?: string | undefined;
  act_name?: string | undefined;
  user_id?: string | undefined;
  account_id?: string | undefined;
  outcome?: AuditOutcome | undefined;
};

export type StoredLine = {
  account_id: string;
  audit_id: string;
  seq: number;
  hash: string;
  at: Date;
  actor: string;
  act: string;
  outcome: string;
  ip: string;
  request: string;
  facts: Record<string, string>;
  erased: boolean;
};

type Place = { limit: number; skip?: number; before?: string };

/** Entries, newest first. A time range is an id range, so every part uses an index. */
export const auditLines = (
  sql: Sql,
  filter: AuditFilter,
  place: Place,
): Promise<readonly StoredLine[]> => planned(sql, (tx) => linesIn(tx, filter, place));

/** A page of entries and their count, which stops at `AUDIT_COUNT_MAX`. */
export const auditPage = (
  sql: Sql,
  filter: AuditFilter,
  place: Place,
): Promise<{ lines: readonly StoredLine[]; total: number }> =>
  planned(sql, async (tx) => {
    const [lines, total] = await Promise.all([linesIn(tx, filter, place), countIn(tx, filter)]);
    return { lines, total };
  });

/** Plans per filter: a person has a hundred entries, an act a hundred thousand. */
const planned = <T>(sql: Sql, work: (tx: Tx) => Promise<T>): Promise<T> =>
  sql.begin(async (tx) => {
    await tx`select set_config('plan_cache_mode', 'force_custom_plan', true)`;
    return work(tx);
  });

async function linesIn(
  tx: Tx,
  filter: AuditFilter,
  { limit, skip = 0, before }: Place,
): Promise<readonly StoredLine[]> {
  const until = before === undefined ? tx`true` : tx`audit_id < ${before}`;
  const parts = partsOf(
    tx,
    filter,
    (where) => tx`(select * from audit_log where ${where} and ${until}
      order by audit_id desc limit ${skip + limit})`,
  );
  return tx<StoredLine[]>`
    select account_id, audit_id, seq, encode(hash, 'hex') as hash, at, actor, act, outcome, ip, request,
      facts, salt is null as erased
    from (${parts}) lines order by audit_id desc limit ${limit} offset ${skip}`;
}

async function countIn(tx: Tx, filter: AuditFilter): Promise<number> {
  const parts = partsOf(
    tx,
    filter,
    (where) => tx`(select audit_id from audit_log where ${where}
      order by audit_id desc limit ${AUDIT_COUNT_MAX})`,
  );
  const [counted] = await tx<{ n: number }[]>`
    select count(*)::int as n from (select 1 from (${parts}) lines limit ${AUDIT_COUNT_MAX}) counted`;
  return counted?.n ?? 0;
}

/** For a customer also operators' acts on them, which are in another chain. */
function partsOf(
  sql: Tx,
  { account_id: accountId, ...filter }: AuditFilter,
  select: (where: Fragment) => Fragment,
): Fragment {
  const where = conditionsOf(sql, filter);
  if (accountId === undefined) return select(where);
  const named = publicId('account', accountId);
  return sql`
    ${select(sql`account_id = ${accountId} and ${where}`)}
    union all
    ${select(sql`about = ${named} and account_id <> ${accountId} and ${where}`)}`;
}

function conditionsOf(
  sql: Tx,
  { from, to, act_name: act, user_id, outcome }: Omit<AuditFilter, 'account_id'>,
): Fragment {
  const since = from === undefined ? undefined : wibMidnight(from);
  const end = to === undefined ? undefined : new Date(wibMidnight(to).getTime() + DAY_MS);
  return sql`
    ${since ? sql`audit_id >= uuid_floor(${since})` : sql`true`}
    and ${end ? sql`audit_id < uuid_floor(${end})` : sql`true`}
    and ${act === undefined ? sql`true` : sql`act = ${act}`}
    and ${user_id === undefined ? sql`true` : sql`actor = ${user_id}`}
    and ${outcome === undefined ? sql`true` : outcome === 'ok' ? sql`outcome = 'ok'` : sql`outcome <> 'ok'`}`;
}
