import type { ChannelName } from '#contract/tokens.ts';
import type { Tx } from '#server/infra/postgres/database.ts';

export type TokenRef = { accountId: string; tokenId: string };

/** A token with the phone that became its own, or was until now. */
export type TokenPhone = TokenRef & { name: string; phone: string };

/** A token that changes its channel. */
export type TokenMove = TokenRef & { from: ChannelName; to: ChannelName };

/** What other domains do because of a token, in the transaction that changes it. */
export type TokenSubscribers = {
  /** A token was made. */
  tokenCreated: (tx: Tx, token: TokenRef) => Promise<void>;
  /** A token has a phone: what waited for it may leave. */
  tokenLinked: (tx: Tx, token: TokenPhone) => Promise<void>;
  /** A token has lost its phone: parted by somebody, or deleted. */
  tokenUnlinked: (tx: Tx, token: TokenPhone) => Promise<void>;
  /** A token without its phone moves to another channel. @throws Refusal while its messages keep it in the one before */
  tokenMoved: (tx: Tx, move: TokenMove) => Promise<void>;
  /** A token was deleted. */
  tokenDeleted: (tx: Tx, token: TokenRef) => Promise<void>;
  /** A token is not what it was. */
  tokenChanged: (tx: Tx, token: TokenRef) => Promise<void>;
};
