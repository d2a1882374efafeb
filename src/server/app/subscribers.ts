import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { rupiah } from '#contract/base/money.ts';
import type { AccountOpened } from '#server/domains/accounts/accounts.ts';
import { openSubscription } from '#server/domains/billing/billing.ts';
import { type Inbound, type Sinks, forgetConnection } from '#server/domains/channels/channels.ts';
import { appendEvent } from '#server/domains/events/events.ts';
import { openWallet, postEntry, restrictToBonus } from '#server/domains/ledger/ledger.ts';
import { createLane, leaveChannel, wakeLane } from '#server/domains/messages/messages.ts';
import { saveAlert } from '#server/domains/payments/payments.ts';
import { type Received, queueNotices } from '#server/domains/push/push.ts';
import {
  type ConnectDeps,
  type TokenPhone,
  type TokenSubscribers,
  handleUndo,
} from '#server/domains/tokens/tokens.ts';
import { forgetWebhook } from '#server/domains/webhooks/webhooks.ts';
import type { Config } from '#server/infra/config.ts';
import type { Tx } from '#server/infra/postgres/database.ts';

/**
 * What happens in one domain because of what happened in another: an event, and who reacts. All but
 * `messageCame` run in the transaction of their cause: they stand or fall with it.
 */
export type Subscribers = TokenSubscribers & {
  /** A customer's account was opened. */
  accountOpened: AccountOpened;
  /** The installation's own account was opened. */
  systemAccountOpened: AccountOpened;
  /** A message has come in and is being stored. */
  messageReceived: (tx: Tx, received: Received) => Promise<void>;
  /** A channel brings a message. */
  messageCame: (inbound: Inbound) => Promise<void>;
};

type Deps = {
  config: Pick<Config, 'SALDO_ALERT' | 'WELCOME_BONUS' | 'WELCOME_BONUS_USE'>;
  now: () => Date;
  sinks: () => Sinks;
  connecting: () => ConnectDeps;
};

/** What programs are told of a token. */
const announceToken = (
  tx: Tx,
  kind: 'token.linked' | 'token.connected' | 'token.disconnected',
  { accountId, tokenId, name, phone }: TokenPhone,
): Promise<void> =>
  appendEvent(tx, { accountId, kind, data: { token_id: publicId('token', tokenId), name, phone } });

/** Tokens: each has a lane, one that moves leaves how its number stood behind, one that is deleted takes its webhook along, and open tabs learn that one has changed. */
export const tokenSubscribers: TokenSubscribers = {
  tokenCreated: createLane,
  tokenLinked: async (tx, token) => {
    await wakeLane(tx, token);
    await announceToken(tx, 'token.linked', token);
    await announceToken(tx, 'token.connected', token);
  },
  tokenUnlinked: (tx, token) => announceToken(tx, 'token.disconnected', token),
  tokenMoved: async (tx, move) => {
    const kept = await leaveChannel(tx, move);
    if (kept === 'sending') throw new Refusal('channel_busy', {});
    if (kept) throw new Refusal('channel_waiting', kept);
    await forgetConnection(tx, move);
  },
  tokenDeleted: forgetWebhook,
  tokenChanged: (tx, { accountId, tokenId }) =>
    appendEvent(tx, {
      accountId,
      kind: 'token.changed',
      data: { token_id: publicId('token', tokenId) },
    }),
};

export const createSubscribers = ({ config, now, sinks, connecting }: Deps): Subscribers => ({
  ...tokenSubscribers,
  accountOpened: async (tx, accountId, isNewNumber) => {
    await openWallet(tx, accountId);
    await openSubscription(tx, accountId, now());
    if (isNewNumber) await giveBonus(tx, accountId, config);
    if (config.SALDO_ALERT > 0) await saveAlert(tx, accountId, config.SALDO_ALERT);
  },
  systemAccountOpened: openWallet,
  messageReceived: queueNotices,
  messageCame: async (inbound) => {
    await sinks().inbound(inbound);
    await undoByAnswer(connecting(), inbound);
  },
});

/** The welcome bonus, once per number. */
async function giveBonus(
  tx: Tx,
  accountId: string,
  { WELCOME_BONUS, WELCOME_BONUS_USE }: Deps['config'],
): Promise<void> {
  if (WELCOME_BONUS === 0) return;
  await postEntry(tx, {
    accountId,
    kind: 'bonus',
    delta: rupiah(WELCOME_BONUS),
    contra: 'exp:bonus',
    refType: 'account',
    refId: accountId,
    idemKey: 'bonus:welcome',
    actor: 'system',
    memo: 'Bonus selamat datang',
  });
  if (WELCOME_BONUS_USE === 'own') await restrictToBonus(tx, accountId, true);
}

/** PUTUS in answer to the installation's notice parts the phone from its token. */
async function undoByAnswer(deps: ConnectDeps, inbound: Inbound): Promise<void> {
  const { accountId, tokenId, from, type, body } = inbound;
  const text = type === 'text' ? body['text'] : undefined;
  if (typeof text === 'string') await handleUndo(deps, { accountId, tokenId, from, text });
}
