import type { Sql } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { newId } from '#server/infra/ids.ts';

/** One line of the audit log: who did what, how it went, and from where. */
export type AuditLine = {
  /** The account it concerns; undefined when a stranger called and none is known. */
  accountId: string | undefined;
  /** The user's id, or `public`. */
  actor: string;
  act: string;
  /** `ok`, or the refusal's code. */
  outcome: string;
  ip: string;
  requestId: string;
  /** Ids only: never what people wrote. */
  facts: Readonly<Record<string, string>>;
};

export type Audit = { write(line: AuditLine): Promise<void> };

/** Where calls without a session are recorded: no account has this id. */
export const NOBODY = '00000000-0000-0000-0000-000000000000';

/** The append-only audit log: each line is the next of its account's chain (docs/threats.md, T26). */
export const openAudit = (allAccountsSql: Sql): Audit => ({
  async write(line) {
    await allAccountsSql`
      select write_audit(${line.accountId ?? NOBODY}, ${newId()}, ${line.actor}, ${line.act},
        ${line.outcome}, ${line.ip}, ${line.requestId}, ${json(line.facts)})`;
  },
});

const LINES_AT_ONCE = 2_000;

/**
 * Takes addresses and facts out of the lines of a closed account; the lines stay, of nobody known.
 *
 * @throws PostgresError 42501 when the account is not closed.
 */
export async function eraseAudit(allAccountsSql: Sql, accountId: string): Promise<void> {
  for (let n = LINES_AT_ONCE; n > 0;) {
    const [erased] = await allAccountsSql<{ n: number }[]>`
      select erase_audit(${accountId}, ${LINES_AT_ONCE}) as n`;
    n = erased?.n ?? 0;
  }
}

/** Takes the addresses of people who were not signed in out of lines that are older than seven days. */
export async function eraseAnonymousAudit(allAccountsSql: Sql): Promise<void> {
  for (let n = LINES_AT_ONCE; n > 0;) {
    const [erased] = await allAccountsSql<
      { n: number }[]
    >`select erase_anonymous_audit(${LINES_AT_ONCE}) as n`;
    n = erased?.n ?? 0;
  }
}
