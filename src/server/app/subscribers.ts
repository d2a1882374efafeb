import { rupiah } from '#contract/base/money.ts';
import type { AccountOpened } from '#server/domains/accounts/accounts.ts';
import type { Inbound, Sinks } from '#server/domains/channels/channels.ts';
import { openWallet, postEntry } from '#server/domains/ledger/ledger.ts';
import { type Received, queueNotices } from '#server/domains/push/push.ts';
import { type ConnectDeps, handleUndo } from '#server/domains/tokens/tokens.ts';
import type { Config } from '#server/infra/config.ts';
import type { Tx } from '#server/infra/postgres/database.ts';

/** What happens in one domain because of what happened in another. Each line: an event, its reactions. */
export type Subscribers = {
  /** A customer's account is opened: it has a wallet, and the welcome bonus in it, once per number. */
  accountOpened: AccountOpened;
  /** The installation's own account is opened: it has a wallet, and pays nothing. */
  systemAccountOpened: AccountOpened;
  /** A message has come in: it is kept, and when it says PUTUS to the house, the phone is parted. */
  messageCame: (inbound: Inbound) => Promise<void>;
  /** A message is being kept: the browsers of its account are told, once that stands. */
  messageReceived: (tx: Tx, received: Received) => Promise<void>;
};

type Deps = {
  config: Pick<Config, 'WELCOME_BONUS'>;
  sinks: () => Sinks;
  connecting: ConnectDeps;
};

export const createSubscribers = ({ config, sinks, connecting }: Deps): Subscribers => ({
  async accountOpened(tx, accountId, isNewNumber) {
    await openWallet(tx, accountId);
    if (config.WELCOME_BONUS === 0 || !isNewNumber) return;
    await postEntry(tx, {
      accountId,
      kind: 'bonus',
      delta: rupiah(config.WELCOME_BONUS),
      contra: 'exp:bonus',
      refType: 'account',
      refId: accountId,
      idemKey: 'bonus:welcome',
      actor: 'house',
      memo: 'Bonus selamat datang',
    });
  },
  systemAccountOpened: openWallet,
  messageReceived: queueNotices,
  async messageCame(inbound) {
    await sinks().inbound(inbound);
    const { accountId, tokenId, from, type, body } = inbound;
    const text = type === 'text' ? body['text'] : undefined;
    if (typeof text === 'string') await handleUndo(connecting, { accountId, tokenId, from, text });
  },
});
