import { createHash } from 'node:crypto';
import { civilDate } from '#contract/base/time.ts';
import type { AuditFinding } from '#contract/operator/audit.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { appendToSealFile, readSealFile } from '#server/infra/seal-file.ts';
import { findingOf } from './verify.ts';

type Deps = {
  allAccountsSql: Sql;
  now: () => Date;
  /** The data folder: the seals stand in its file as well. */
  folder: string;
};

type Seal = { seal_no: number; day: string; previous: string; hash: string };

const DAY_MS = 86_400_000;
const ROWS_AT_ONCE = 4_000;
/** What the first seal follows. */
const NOTHING = '0'.repeat(64);

/**
 * Seals the heads of all chains as they are now, under yesterday's date; once for a day. What was sealed
 * cannot be cut off again together with its head without a trace. Writes the seals into the file.
 */
export async function sealAudit({ allAccountsSql, now, folder }: Deps): Promise<void> {
  const day = civilDate(new Date(now().getTime() - DAY_MS));
  await allAccountsSql.begin(async (tx) => {
    const [last] = await tx<Seal[]>`
      select seal_no, day, previous, hash from audit_seals order by seal_no desc limit 1`;
    if (last && last.day >= day) return;
    const number = (last?.seal_no ?? 0) + 1;
    const previous = last?.hash ?? NOTHING;
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

/** The hash of a seal: the one before, then the heads that it has. */
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

/** Lines `audit 12 2026-11-22 <hash> <instant>`; the first of a number counts, and whole lines only. */
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

/** Adds the seals after the file's newest, so that nothing old is written anew. */
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
 * What differs from what was sealed: lines of a sealed head that are gone or others, and seals that were
 * changed, removed, or are only in the file.
 */
export async function verifyAuditSeals(
  tx: Tx,
  folder: string | undefined,
): Promise<AuditFinding[]> {
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

/** The first seal that is not as it was made, by its number and day. */
async function sealDifference(
  tx: Tx,
  folder: string | undefined,
): Promise<{ seq: number; day: string } | undefined> {
  const filed = folder === undefined ? new Map<number, FiledSeal>() : await readSeals(folder);
  const seals = await tx<Seal[]>`
    select seal_no, day, previous, hash from audit_seals order by seal_no`;
  let before = { seal_no: 0, hash: NOTHING };
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
