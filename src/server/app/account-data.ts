import { accountsHolding } from '#server/domains/accounts/accounts.ts';
import { billingHolding } from '#server/domains/payments/payments.ts';
import { ledgerHolding } from '#server/domains/ledger/ledger.ts';
import { messagesHolding } from '#server/domains/messages/messages.ts';
import { pushHolding } from '#server/domains/push/push.ts';
import { simulatorHolding } from '#server/domains/channels/simulator/simulator.ts';
import { tokensHolding } from '#server/domains/tokens/tokens.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { filesHolding } from '#server/domains/media/account-data.ts';
import type { Files } from '#server/domains/media/files.ts';
import type { Holding } from '#server/infra/account-data.ts';
import type { Secrets } from '#server/infra/security/secrets.ts';
import type { Uploads } from '#server/domains/media/uploads/uploads.ts';

type Held = {
  /** Sees one account at a time. */
  sql: Sql;
  /** Sees all. */
  house: Sql;
  secrets: Secrets;
  files: Files;
  uploads: Uploads;
  /** The archives of what is held. */
  archives: Holding;
};

/**
 * Everything that is held of an account, anywhere: what its archive is made of, and what goes with it.
 * Whoever keeps something of accounts in a table or a folder stands in this list.
 *
 * In the order of leaving: links tell messages and simulated phones which numbers an account had, and
 * its people tell everybody which are theirs; so tokens come after the first two, and people last.
 */
export const holdingsOf = (held: Held): readonly Holding[] => [
  messagesHolding(held),
  simulatorHolding(held),
  tokensHolding(held),
  ledgerHolding(held),
  billingHolding(held),
  pushHolding(held),
  filesHolding(held),
  held.archives,
  accountsHolding(held),
];
