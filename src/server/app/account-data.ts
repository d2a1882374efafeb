import { accountsAccountData } from '#server/domains/accounts/accounts.ts';
import { billingAccountData, invoicesAccountData } from '#server/domains/billing/billing.ts';
import { broadcastsAccountData } from '#server/domains/broadcasts/broadcasts.ts';
import { simulatorAccountData } from '#server/domains/channels/simulator/simulator.ts';
import { campaignsAccountData } from '#server/domains/campaigns/campaigns.ts';
import { channelsAccountData } from '#server/domains/channels/channels.ts';
import { webAccountData } from '#server/domains/channels/web/web.ts';
import { eventsAccountData } from '#server/domains/events/events.ts';
import { ledgerAccountData } from '#server/domains/ledger/ledger.ts';
import { type Media, mediaAccountData } from '#server/domains/media/media.ts';
import { messagesAccountData } from '#server/domains/messages/messages.ts';
import { operatorAccountData } from '#server/domains/operator/operator.ts';
import { paymentsAccountData } from '#server/domains/payments/payments.ts';
import { pushAccountData } from '#server/domains/push/push.ts';
import { supportAccountData } from '#server/domains/support/support.ts';
import { webhooksAccountData } from '#server/domains/webhooks/webhooks.ts';
import { tokensAccountData } from '#server/domains/tokens/tokens.ts';
import type { AccountData } from '#server/infra/account-data.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import type { Secrets } from '#server/infra/security/secrets.ts';

type Deps = Media & {
  /** Sees one account at a time. */
  sql: Sql;
  /** Sees all. */
  allAccountsSql: Sql;
  secrets: Secrets;
  /** The archives of what is held. */
  archives: AccountData;
  /** The files of rows. */
  rowExports: AccountData;
};

/**
 * Everything that is held of an account, anywhere: what its archive is made of, and what goes with it.
 * Whoever stores something of accounts in a table or a folder stands in this list.
 *
 * In the order of leaving: events tell of messages; links tell messages and simulated phones which
 * numbers an account had, and its people tell everybody which are theirs; so tokens come after the
 * first three, and people last.
 */
export const accountDataOf = (deps: Deps): readonly AccountData[] => [
  eventsAccountData(deps),
  messagesAccountData(deps),
  campaignsAccountData(deps),
  simulatorAccountData(deps),
  channelsAccountData(deps),
  webAccountData(deps),
  webhooksAccountData(deps),
  tokensAccountData(deps),
  ledgerAccountData(deps),
  paymentsAccountData(deps),
  billingAccountData(deps),
  invoicesAccountData(deps),
  operatorAccountData(deps),
  pushAccountData(deps),
  supportAccountData(deps),
  broadcastsAccountData(deps),
  mediaAccountData(deps),
  deps.archives,
  deps.rowExports,
  accountsAccountData(deps),
];
