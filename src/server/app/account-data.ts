import { accountsAccountData } from '#server/domains/accounts/accounts.ts';
import { paymentsAccountData } from '#server/domains/payments/payments.ts';
import { ledgerAccountData } from '#server/domains/ledger/ledger.ts';
import { messagesAccountData } from '#server/domains/messages/messages.ts';
import { pushAccountData } from '#server/domains/push/push.ts';
import { simulatorAccountData } from '#server/domains/channels/simulator/simulator.ts';
import { tokensAccountData } from '#server/domains/tokens/tokens.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { mediaAccountData } from '#server/domains/media/account-data.ts';
import type { Files } from '#server/domains/media/files.ts';
import type { AccountData } from '#server/infra/account-data.ts';
import type { Secrets } from '#server/infra/security/secrets.ts';
import type { Uploads } from '#server/domains/media/uploads/uploads.ts';

type Held = {
  /** Sees one account at a time. */
  sql: Sql;
  /** Sees all. */
  allAccountsSql: Sql;
  secrets: Secrets;
  files: Files;
  uploads: Uploads;
  /** The archives of what is held. */
  archives: AccountData;
};

/**
 * Everything that is held of an account, anywhere: what its archive is made of, and what goes with it.
 * Whoever keeps something of accounts in a table or a folder stands in this list.
 *
 * In the order of leaving: links tell messages and simulated phones which numbers an account had, and
 * its people tell everybody which are theirs; so tokens come after the first two, and people last.
 */
export const accountDataOf = (held: Held): readonly AccountData[] => [
  messagesAccountData(held),
  simulatorAccountData(held),
  tokensAccountData(held),
  ledgerAccountData(held),
  paymentsAccountData(held),
  pushAccountData(held),
  mediaAccountData(held),
  held.archives,
  accountsAccountData(held),
];
