import { onCoordinator } from '#server/infra/postgres/distribution/scope.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { PAGE_SIZE } from '#contract/base/act.ts';
import {
  AUDIT_COUNT_MAX,
  type AuditCheck,
  auditState,
  exportAudit,
  listAudit,
  verifyAudit,
  type AuditEntry,
} from '#contract/operator/audit.ts';
import { publicId, uuidOf } from '#contract/base/ids.ts';
import {
  everyOperator,
  isAdmin,
  accountNames,
  userNames,
  systemAccount,
} from '#server/domains/accounts/accounts.ts';
import { type ActHandler, handle, NOBODY, hit } from '#server/infra/acts.ts';
import {
  lastAuditCheck,
  storeAuditCheck,
  auditPage,
  type AuditFilter,
  auditLines,
  type StoredLine,
} from '#server/infra/acts/chain.ts';
import { Readable } from 'node:stream';
import { Refusal } from '#contract/base/refusals.ts';
import { csvOf, timeInWib } from '#server/infra/csv.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { type Secrets, hmac, sameBytes } from '#server/infra/security/secrets.ts';

type AuditDeps = {
  allAccountsSql: Sql;
  secrets: Secrets;
  now: () => Date;
  folder: string;
  report: (error: unknown) => void;
};

export const auditActs = (deps: AuditDeps): readonly ActHandler[] => [
  handle(
    listAudit,
    async (_call, { page = 0, start: _, sort_by: __, sort_type: ___, ...filter }) => {
      const { allAccountsSql: sql } = deps;
      const skip = page * PAGE_SIZE;
      if (skip >= AUDIT_COUNT_MAX) return { rows: [], total: AUDIT_COUNT_MAX };
      // Acts of operators on an account are in the operators' own chain.
      const read = () => auditPage(sql, filter, { limit: PAGE_SIZE, skip });
      const { lines, total } = await onCoordinator(read);
      return { rows: await withNames(sql, lines), total };
    },
  ),
  handle(auditState, async () => {
    const [check, operators] = await Promise.all([
      lastAuditCheck(deps.allAccountsSql),
      everyOperator(deps.allAccountsSql),
    ]);
    return {
      check: check ?? null,
      operators: operators.map(({ userId, name, isRemoved }) => ({
        user_id: publicId('user', userId),
        name,
        removed: isRemoved,
      })),
    };
  }),
  handle(verifyAudit, () => checkSoon(deps)),
  handle(exportAudit, ({ caller }, filter) => linkToAudit(deps, caller.userId, filter)),
];

/** Answers before the limit of 12 s for an act. */
const WAIT_MS = 8_000;

/** The verification, or null if it takes longer; its result is stored when it ends. */
async function checkSoon(deps: AuditDeps): Promise<{ check: AuditCheck | null }> {
  const check = storeAuditCheck(deps);
  const waiting = new AbortController();
  const late = pause(WAIT_MS, null, { signal: waiting.signal }).catch(() => null);
  try {
    const done = await Promise.race([check, late]);
    if (done === null) check.catch(deps.report);
    return { check: done };
  } finally {
    waiting.abort();
  }
}

const LINK_MS = 10 * 60_000;
/** Exports of an operator per day (docs/threats.md, T37). */
const DAILY_MAX = 3;
const DAY_SECONDS = 86_400;
const ROWS_AT_ONCE = 1_000;

type Claim = { userId: string; filter: AuditFilter; endsMs: number };

/** A signed link to the entries of a filter, valid for minutes. @throws Refusal `export_limit`. */
async function linkToAudit(
  { allAccountsSql, secrets, now }: Pick<AuditDeps, 'allAccountsSql' | 'secrets' | 'now'>,
  userId: string,
  filter: AuditFilter,
): Promise<{ url: string; filename: string }> {
  const day = { scope: 'audit export', subject: userId, windowSeconds: DAY_SECONDS };
  await allAccountsSql.begin(async (tx) => {
    if (await hit(tx, [{ ...day, max: DAILY_MAX }])) {
      throw new Refusal('export_limit', { limit: DAILY_MAX });
    }
  });
  const claim: Claim = { userId, filter, endsMs: now().getTime() + LINK_MS };
  const id = Buffer.from(JSON.stringify(claim)).toString('base64url');
  const key = macOf(secrets, id).toString('base64url');
  return { url: `/audit-exports/${id}?k=${key}`, filename: nameOf(filter) };
}

const macOf = (secrets: Secrets, id: string) => hmac(secrets.key('links'), 'audit export', id);

const nameOf = ({ from, to }: AuditFilter): string =>
  `${['catatan-audit', from, to].filter((part) => part !== undefined).join('-')}.csv`;

/**
 * CSV of a signed address; undefined if the signature is invalid or expired, or its creator is no longer an admin.
 */
export async function openAuditExport(
  { allAccountsSql, secrets, now }: Pick<AuditDeps, 'allAccountsSql' | 'secrets' | 'now'>,
  { id, key }: { id: string; key: string },
): Promise<{ name: string; stream: Readable } | undefined> {
  if (!sameBytes(macOf(secrets, id), Buffer.from(key, 'base64url'))) return undefined;
  // The signature proves that `linkToAudit` wrote this.
  const claim = JSON.parse(Buffer.from(id, 'base64url').toString()) as Claim;
  if (claim.endsMs <= now().getTime()) return undefined;
  if (!(await isAdmin(allAccountsSql, claim.userId))) return undefined;
  const rows = csvRows(allAccountsSql, claim.filter);
  return { name: nameOf(claim.filter), stream: Readable.from(csvOf(rows)) };
}

type CsvRow = Readonly<Record<string, unknown>>;

async function* csvRows(sql: Sql, filter: AuditFilter): AsyncGenerator<CsvRow> {
  let before: string | undefined;
  for (;;) {
    const stored = await auditLines(sql, filter, {
      limit: ROWS_AT_ONCE,
      ...(before !== undefined && { before }),
    });
    for (const line of await withNames(sql, stored)) {
      yield {
        waktu_wib: timeInWib(line.at),
        orang: line.person?.name ?? '',
        id_orang: line.person?.user_id ?? '',
        akun: line.account?.name ?? '',
        id_akun: line.account?.account_id ?? '',
        tindakan: line.act,
        hasil: line.outcome,
        alamat_ip: line.ip,
        tentang: line.facts,
        permintaan: line.request,
        id: line.id,
        nomor: line.seq,
        hash: line.hash,
      };
    }
    before = stored.at(-1)?.audit_id;
    if (stored.length < ROWS_AT_ONCE) return;
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const UNKNOWN = 'Tidak dikenal';

async function withNames(sql: Sql, lines: readonly StoredLine[]): Promise<AuditEntry[]> {
  const people = lines
    .flatMap(({ actor, facts }) => [actor, userIdOf(facts) ?? ''])
    .filter((id) => UUID.test(id));
  const named = lines.flatMap(({ account_id, facts }) =>
    [account_id, accountIdOf(facts) ?? []].flat(),
  );
  const [names, accounts, ours] = await Promise.all([
    userNames(sql, people),
    accountNames(sql, [...new Set(named)]),
    systemAccount(sql),
  ]);
  return lines.map(({ account_id, audit_id, actor, facts, ...line }) => {
    const about = accountIdOf(facts);
    return {
      ...line,
      id: publicId('audit', audit_id),
      account:
        account_id === NOBODY
          ? null
          : { ...account(accounts, account_id), ours: account_id === ours },
      person: person(names, actor),
      whom: person(names, userIdOf(facts) ?? ''),
      about: about === undefined || about === account_id ? null : account(accounts, about),
      facts,
    };
  });
}

const account = (names: ReadonlyMap<string, string>, accountId: string) => ({
  account_id: publicId('account', accountId),
  name: names.get(accountId) ?? UNKNOWN,
});

const person = (names: ReadonlyMap<string, string>, userId: string) =>
  UUID.test(userId)
    ? { user_id: publicId('user', userId), name: names.get(userId) ?? UNKNOWN }
    : null;

const userIdOf = ({ user_id }: Readonly<Record<string, string>>): string | undefined =>
  user_id === undefined ? undefined : uuidOf('user', user_id);

const accountIdOf = ({ account_id }: Readonly<Record<string, string>>): string | undefined =>
  account_id === undefined ? undefined : uuidOf('account', account_id);
