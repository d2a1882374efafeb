import type { Tx } from '#server/infra/postgres/database.ts';

export type TokenRef = { accountId: string; tokenId: string };

/** What other domains do because of a token, in the transaction that changes it. */
export type TokenSubscribers = {
  /** A token was made. */
  tokenCreated: (tx: Tx, token: TokenRef) => Promise<void>;
  /** A token has a phone: what waited for it may leave. */
  tokenLinked: (tx: Tx, token: TokenRef) => Promise<void>;
  /** A token was deleted. */
  tokenDeleted: (tx: Tx, token: TokenRef) => Promise<void>;
  /** A token is not what it was. */
  tokenChanged: (tx: Tx, token: TokenRef) => Promise<void>;
};
