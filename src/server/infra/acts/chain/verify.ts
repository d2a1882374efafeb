import { createHash } from 'node:crypto';
import { publicId } from '#contract/base/ids.ts';
import { civilDate } from '#contract/base/time.ts';
import type { AuditFinding } from '#contract/operator/audit.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import { NOBODY } from '#server/infra/acts/audit.ts';

/** What the walk along all chains came to. */
export type ChainVerification = {
  lines: number;
  chains: number;
  /** The first difference of each chain, in the order of accounts: at most a hundred. */
  findings: AuditFinding[];
};

type Line = {
  account_id: string;
  seq: number;
  at: Date;
  /** What is hashed of it. */
  text: string;
  hash: Buffer;
  digest: Buffer;
  /** Null when where from and what about were erased. */
  salt: Buffer | null;
  about: string;
  erased_wrongly: boolean;
};
type Head = { account_id: string; seq: number; hash: Buffer };

/** A chain as far as it was read. */
type Walk = {
  account: string;
  /** What the chain should end with; undefined when there is none. */
  head: Head | undefined;
  seq: number;
  hash: Buffer;
  /** Of the line it has come to; null before the first. */
  day: string | null;
  isBroken: boolean;
};

const ROWS_AT_ONCE = 4_000;
const FINDINGS_MAX = 100;
const NOTHING = Buffer.alloc(0);

/**
 * Walks along all chains, line by line, and compares each with its head: finds a line that was changed, is
 * missing, was added, stands elsewhere, or was erased without leave, and a head that is another one. Reads
 * pages in one snapshot, so that it may run while lines are written; its memory does not grow with the log.
 *
 * @param tx a snapshot that sees all accounts.
 */
export async function verifyChains(tx: Tx): Promise<ChainVerification> {
  const found: ChainVerification = { lines: 0, chains: 0, findings: [] };
  const heads = headsOf(tx);
  const nextHead = async () => (await heads.next()).value ?? undefined;
  let head = await nextHead();
  let walk: Walk | undefined;
  const add = (finding: AuditFinding | undefined) => {
    if (finding && found.findings.length < FINDINGS_MAX) found.findings.push(finding);
  };
  const finish = (chain: Walk) => {
    found.chains += 1;
    add(chain.head ? headDifference(chain, chain.head) : broken(chain, 'head', chain.seq));
  };
  /** Chains before this one, or all that are left, of which there is a head and no line. */
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
  hash: NOTHING,
  day: null,
  isBroken: false,
});

/** Goes on by a line; the first difference of the chain, if this is it. */
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

/** After the first difference of a chain, the others follow from it. */
function broken(walk: Walk, kind: AuditFinding['kind'], seq: number): AuditFinding | undefined {
  if (walk.isBroken) return undefined;
  walk.isBroken = true;
  return findingOf({ kind, account: walk.account, seq, day: walk.day });
}

/** A difference as it is stored and shown; strangers' lines are of no account. */
export const findingOf = ({
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
