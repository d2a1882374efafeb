import type { Sql } from './database.ts';
import { newId } from './ids.ts';

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

/** Where calls of strangers are kept: no account has this id. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/** The append-only audit log. */
export const openAudit = (house: Sql): Audit => ({
  async write(line) {
    await house`
      insert into audit_log (account_id, audit_id, actor, act, outcome, ip, request, facts)
      values (${line.accountId ?? NOBODY}, ${newId()}, ${line.actor}, ${line.act}, ${line.outcome},
        ${line.ip}, ${line.requestId}, ${house.json(line.facts)})`;
  },
});
