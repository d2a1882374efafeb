import { inWhole } from '#server/infra/postgres/distribution/scope.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { PAGE_SIZE } from '#contract/base/act.ts';
import {
  AUDIT_COUNT_MAX,
  type AuditCheck,
  auditState,
  exportAudit,
  listAudit,
  verifyAudit,
} from '#contract/operator/audit.ts';
import { publicId } from '#contract/base/ids.ts';
import { everyOperator } from '#server/domains/accounts/accounts.ts';
import { type ActHandler, handle } from '#server/infra/acts/act.ts';
import { lastAuditCheck, storeAuditCheck } from '#server/infra/acts/chain/checks.ts';
import { auditPage } from '#server/infra/acts/chain/read.ts';
import { type AuditExportDeps, linkToAudit } from './export.ts';
import { withNames } from './lines.ts';

type Deps = AuditExportDeps & {
  /** The data folder, for the file of seals. */
  folder: string;
  /** Receives errors that happen after the response was sent. */
  report: (error: unknown) => void;
};

/** The acts on the audit log, for admins. */
export const auditActs = (deps: Deps): readonly ActHandler[] => [
  handle(
    listAudit,
    async (_call, { page = 0, start: _, sort_by: __, sort_type: ___, ...filter }) => {
      const { allAccountsSql: sql } = deps;
      const skip = page * PAGE_SIZE;
      if (skip >= AUDIT_COUNT_MAX) return { rows: [], total: AUDIT_COUNT_MAX };
      // What operators did about an account stands in their own chain.
      const read = () => auditPage(sql, filter, { limit: PAGE_SIZE, skip });
      const { lines, total } = await inWhole(read);
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

/** Longer than this nobody waits; an act may take 12 s. */
const WAIT_MS = 8_000;

/** The verification, or null while it goes on: it is stored when it is done. */
async function checkSoon(deps: Deps): Promise<{ check: AuditCheck | null }> {
  const check = storeAuditCheck(deps);
  const waiting = new AbortController();
  const late = pause(WAIT_MS, null, { signal: waiting.signal }).catch(() => null);
  try {
    const done = await Promise.race([check, late]);
    // Errors after this point are not reported to the caller.
    if (done === null) check.catch(deps.report);
    return { check: done };
  } finally {
    waiting.abort();
  }
}
