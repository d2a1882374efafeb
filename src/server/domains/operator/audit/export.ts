import { Readable } from 'node:stream';
import { Refusal } from '#contract/base/refusals.ts';
import { isAdmin } from '#server/domains/accounts/accounts.ts';
import { type AuditFilter, auditLines } from '#server/infra/acts/chain/read.ts';
import { hit } from '#server/infra/acts/limits.ts';
import { csvOf } from '#server/infra/csv.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { type Secrets, hmac, sameBytes } from '#server/infra/security/secrets.ts';
import { withNames } from './lines.ts';

export type AuditExportDeps = { allAccountsSql: Sql; secrets: Secrets; now: () => Date };

/** How long a link is good. */
const LINK_MS = 10 * 60_000;
/** Exports an operator may ask for in a day (docs/threats.md, T37). */
const DAILY_MAX = 3;
const DAY_SECONDS = 86_400;
const ROWS_AT_ONCE = 1_000;

type Claim = { userId: string; filter: AuditFilter; endsMs: number };

/**
 * A signed link to the lines of a filter, for an admin, good for minutes.
 *
 * @throws Refusal `export_limit`.
 */
export async function linkToAudit(
  { allAccountsSql, secrets, now }: AuditExportDeps,
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
 * The lines of a signed address as CSV, read while they are sent; undefined when we did not sign it, its time
 * is over, or who asked for it is no admin any more.
 */
export async function openAuditExport(
  { allAccountsSql, secrets, now }: AuditExportDeps,
  { id, key }: { id: string; key: string },
): Promise<{ name: string; stream: Readable } | undefined> {
  if (!sameBytes(macOf(secrets, id), Buffer.from(key, 'base64url'))) return undefined;
  // Signed by us: it is what was written above.
  const claim = JSON.parse(Buffer.from(id, 'base64url').toString()) as Claim;
  if (claim.endsMs <= now().getTime()) return undefined;
  if (!(await isAdmin(allAccountsSql, claim.userId))) return undefined;
  const rows = csvRows(allAccountsSql, claim.filter);
  return { name: nameOf(claim.filter), stream: Readable.from(csvOf(rows)) };
}

/** An instant in WIB as every spreadsheet reads it: `2026-11-21 09:05:00`. */
const timeInWib = (at: Date): string =>
  new Date(at.getTime() + 7 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');

type CsvRow = Readonly<Record<string, unknown>>;

/** The newest first, a page at a time; only the head where there is no line. */
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
