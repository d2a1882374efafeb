import { accountsActs } from '#server/domains/accounts/accounts.ts';
import { paymentsActs } from '#server/domains/payments/payments.ts';
import { ledgerActs } from '#server/domains/ledger/ledger.ts';
import { operatorActs } from '#server/domains/operator/operator.ts';
import { pushActs } from '#server/domains/push/push.ts';
import { tokensActs } from '#server/domains/tokens/tokens.ts';
import { liveActs } from '#server/http/live/live.ts';
import { claimUpload, releaseFile } from '#server/domains/media/uploads/uploads.ts';
import type { ActHandler } from '#server/infra/acts/act.ts';
import type { Container } from './container.ts';

/** Every act of the contract with its keeper, each exactly once. */
export function actHandlers(container: Container): readonly ActHandler[] {
  const { tenantSql, config, log, secrets, sessions, captcha, now, prices, subscribers } =
    container;
  return [
    ...accountsActs({
      sql: tenantSql,
      allAccountsSql: container.allAccountsSql,
      config,
      log,
      secrets,
      sessions,
      captcha,
      sendOtp: container.tell,
      onAccountOpened: subscribers.accountOpened,
      fileLink: container.files.link,
      claimUpload,
      releaseFile: async (tx, which) => {
        const digests = await releaseFile(tx, which);
        return () => container.files.erase(container.allAccountsSql, digests);
      },
      report: container.report,
      build: container.build,
    }),
    ...container.exports.acts,
    ...tokensActs({ sql: tenantSql, secrets }),
    ...container.messages.acts,
    ...ledgerActs({ sql: tenantSql }),
    ...paymentsActs({ sql: tenantSql, prices, config, now }),
    ...container.simulator.acts,
    ...operatorActs({ allAccountsSql: container.allAccountsSql, now }),
    ...pushActs(container.push),
    ...liveActs(container.live),
  ];
}
