import {
  checkTopupAtGateway,
  confirmTopup,
  operatorTopups,
  rejectTopup,
} from '#contract/operator/money/topups.ts';
import {
  confirmBothLines,
  dismissBankLine,
  importStatement,
  listBankLines,
  previewStatement,
} from '#contract/operator/money/statements.ts';
import * as payments from '#server/domains/payments/payments.ts';
import { type ActHandler, handle } from '#server/infra/acts/act.ts';
import { booksActs } from './books-acts.ts';
import type { OperatorDeps } from './deps.ts';
import { deskActs } from './desk-acts.ts';
import { channelDeskActs } from './channels.ts';

export { auditActs } from './audit/acts.ts';
export { openAuditExport } from './audit/export.ts';
export { operatorAccountData } from './account-data.ts';
export { settingsActs } from './settings.ts';
export { systemTokenActs } from './system-token.ts';
export { type ConsoleDeps, consoleActs } from './console-acts.ts';
export { booksRed, checkAndSeal, reconcileNightly } from './books/nightly.ts';

/** The acts of operators, who see all accounts; the endpoint refuses everybody else. */
export const operatorActs = (deps: OperatorDeps): readonly ActHandler[] => [
  handle(operatorTopups, ({ caller }, input) =>
    payments.topupsForOperator(deps, { ...input, operatorId: caller.userId }),
  ),
  handle(checkTopupAtGateway, ({ caller }, { topup_id }) =>
    payments.checkTopupForOperator(deps, { topupId: topup_id, operatorId: caller.userId }),
  ),
  handle(confirmTopup, ({ caller }, { topup_id, reference, reason }) =>
    payments.confirmTopupByHand(deps, {
      topupId: topup_id,
      operatorId: caller.userId,
      reference,
      reason,
    }),
  ),
  handle(rejectTopup, ({ caller }, { topup_id, reason }) =>
    payments.rejectTopupByHand(deps, { topupId: topup_id, operatorId: caller.userId, reason }),
  ),
  handle(listBankLines, (_, input) => payments.bankLinesForOperator(deps, input)),
  handle(dismissBankLine, ({ caller }, { line, reason }) =>
    payments.dismissLine(deps, { line, operatorId: caller.userId, reason }),
  ),
  handle(confirmBothLines, ({ caller }, { line, reason }) =>
    payments.confirmBoth(deps, { line, operatorId: caller.userId, reason }),
  ),
  handle(previewStatement, ({ caller: { accountId, userId } }, { upload }) =>
    payments.previewStatement(deps, { accountId, userId, uploadId: upload }),
  ),
  handle(importStatement, ({ caller: { accountId, userId } }, { upload, sha256 }) =>
    payments.importStatement(deps, { accountId, userId, uploadId: upload, sha256 }),
  ),
  ...deskActs(deps),
  ...booksActs(deps),
  ...channelDeskActs(deps),
];
