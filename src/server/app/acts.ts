import type { ChannelName } from '#contract/tokens.ts';
import { accountsActs } from '#server/domains/accounts/accounts.ts';
import { payPlanInvoice, subscriptionActs, tokenLimitOf } from '#server/domains/billing/billing.ts';
import { channelActs, isOffered } from '#server/domains/channels/channels.ts';
import { eventsActs } from '#server/domains/events/events.ts';
import { ledgerActs } from '#server/domains/ledger/ledger.ts';
import { shownNamesOf } from '#server/domains/messages/messages.ts';
import {
  claimUpload,
  claimedFile,
  describeFile,
  releaseFile,
} from '#server/domains/media/media.ts';
import {
  type ConsoleDeps,
  auditActs,
  consoleActs,
  operatorActs,
  settingsActs,
  systemTokenActs,
} from '#server/domains/operator/operator.ts';
import {
  gatewayStatusOf,
  paymentsActs,
  placeTopup,
  simulatedPaymentHandler,
} from '#server/domains/payments/payments.ts';
import { pushActs } from '#server/domains/push/push.ts';
import { supportActs, supportFigures } from '#server/domains/support/support.ts';
import { networkQr } from '#server/domains/channels/web/web.ts';
import { systemTokenState, tokensActs } from '#server/domains/tokens/tokens.ts';
import type { ActHandler } from '#server/infra/acts.ts';
import type { Container } from './container.ts';
import { RELEASE } from './infra.ts';

/** Every act of the contract with its handler, each exactly once. */
export function actHandlers(container: Container): readonly ActHandler[] {
  const { infra, pools, accounts, media, subscribers } = container;
  const { config, log, secrets, now, report, build } = infra;
  const { tenantSql: sql, allAccountsSql } = pools;
  const topups = { ...container.payments.deps, prices: container.pricing, config };
  return [
    ...accountsActs({
      sql,
      allAccountsSql,
      config,
      log,
      secrets,
      sessions: accounts.sessions,
      captcha: accounts.captcha,
      sendSystemText: accounts.sendSystemText,
      sendSystemCode: accounts.sendSystemCode,
      takesCodes: accounts.takesCodes,
      codesInSimulator: accounts.codesInSimulator,
      onAccountOpened: subscribers.accountOpened,
      fileLink: media.files.link,
      claimUpload,
      claimedFile,
      releaseFile: async (tx, which) => {
        const digests = await releaseFile(tx, which);
        return () => media.files.erase(allAccountsSql, digests);
      },
      report,
      build,
      broadcastsFor: container.broadcasts.nameFor,
    }),
    ...accounts.exports.acts,
    ...container.rowExports.acts,
    ...tokenActs(container),
    ...container.messages.acts,
    ...container.campaigns.acts,
    ...ledgerActs({ sql, shownNamesOf }),
    ...paymentsActs({ ...topups, claimUpload, claimedFile, describeFile }),
    simulatedPaymentHandler(container.payments.simulated),
    ...subscriptionActs({ allAccountsSql, now }),
    ...container.billing.invoices.acts({
      payPlanInvoice: (invoice) => payPlanInvoice({ allAccountsSql, now }, invoice),
      placeTopup: (request) => placeTopup(topups, request),
    }),
    ...container.channels.simulator.acts,
    ...operatorActs({
      allAccountsSql,
      config,
      now,
      prices: container.pricing,
      fileLink: media.files.link,
      uploads: media.uploads,
      gateways: container.payments.deps.gateways,
      settle: container.payments.deps.settle,
      report,
      statusOf: gatewayStatusOf(container.payments.deps),
    }),
    ...auditActs({ allAccountsSql, secrets, now, report, folder: infra.dataFolder }),
    ...installationActs(container),
    ...consoleActs(adminDepsOf(container)),
    ...pushActs(container.push),
    ...supportActs(container.support.deps),
    ...eventsActs(container.events.hub),
    ...container.webhooks.acts,
  ];
}

function tokenActs({ channels, infra, pools, pricing, subscribers }: Container) {
  const { config, secrets, now } = infra;
  const { tenantSql: sql } = pools;
  return [
    ...tokensActs({
      sql,
      secrets,
      subscribers,
      config,
      limitOf: (tx, accountId) => tokenLimitOf(tx, accountId, now()),
      isOffered: (channel) => isOffered(config, channel),
      networkQr: networkQr(secrets),
      now,
    }),
    ...channelActs({ sql, config, priceOf: pricing.priceOf, now }),
    ...channels.cloud.acts,
  ];
}

function installationActs(container: Container) {
  const { accounts, broadcasts, channels, infra, messages, pools, subscribers } = container;
  const { config, secrets, settings, now } = infra;
  const { tenantSql: sql, allAccountsSql } = pools;
  const { sessions } = accounts;
  const token = {
    sql,
    allAccountsSql,
    secrets,
    subscribers,
    config,
    now,
    sendAsSystem: messages.sendAsSystem,
    isOffered: (channel: ChannelName) => isOffered(config, channel),
    cloud: channels.cloud,
    codesBy: messages.codesBy,
  };
  return [
    ...broadcasts.acts,
    ...settingsActs({
      allAccountsSql,
      now,
      settings,
      reauthOf: sessions.reauthOf,
      sendSystemText: accounts.sendSystemText,
      report: infra.report,
    }),
    ...systemTokenActs(token),
  ];
}

const adminDepsOf = ({ infra, pools, accounts }: Container): ConsoleDeps => ({
  ...infra,
  allAccountsSql: pools.allAccountsSql,
  version: RELEASE,
  sendSystemText: accounts.sendSystemText,
  evictSessions: accounts.sessions.evict,
  supportFigures,
  codesGoOut: async (sql) =>
    (await systemTokenState(sql)).isConnected && (await accounts.takesCodes(sql)),
});
