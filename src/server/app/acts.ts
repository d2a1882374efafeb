import { accountsActs } from '#server/domains/accounts/accounts.ts';
import { billingActs } from '#server/domains/payments/payments.ts';
import { ledgerActs } from '#server/domains/ledger/ledger.ts';
import { operatorActs } from '#server/domains/operator/operator.ts';
import { pushActs } from '#server/domains/push/push.ts';
import { tokensActs } from '#server/domains/tokens/tokens.ts';
import { liveActs } from '#server/http/live/live.ts';
import { claimUpload, releaseFile } from '#server/domains/media/uploads/uploads.ts';
import type { KeptAct } from '#server/infra/acts/act.ts';
import type { House } from './container.ts';

/** Every act of the contract with its keeper, each exactly once. */
export function keepActs(house: House): readonly KeptAct[] {
  const { tenant, config, log, secrets, sessions, captcha, now, prices, consequences } = house;
  return [
    ...accountsActs({
      sql: tenant,
      house: house.house,
      config,
      log,
      secrets,
      sessions,
      captcha,
      sendOtp: house.tell,
      onAccountOpened: consequences.accountOpened,
      fileLink: house.files.link,
      claimUpload,
      releaseFile: async (tx, which) => {
        const digests = await releaseFile(tx, which);
        return () => house.files.erase(house.house, digests);
      },
      report: house.report,
      build: house.build,
    }),
    ...house.exports.acts,
    ...tokensActs({ sql: tenant, secrets }),
    ...house.messages.acts,
    ...ledgerActs({ sql: tenant }),
    ...billingActs({ sql: tenant, prices, config, now }),
    ...house.simulator.acts,
    ...operatorActs({ house: house.house, now }),
    ...pushActs(house.push),
    ...liveActs(house.live),
  ];
}
