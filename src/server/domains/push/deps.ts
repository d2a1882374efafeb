import type { MessageType } from '#contract/messages.ts';
import type { Config } from '#server/platform/config.ts';
import type { Sql } from '#server/platform/database.ts';
import type { Outbound } from '#server/platform/outbound.ts';
import type { Secrets } from '#server/platform/secrets.ts';
import type { Vapid } from '#server/platform/vapid.ts';

/** What this domain works with. */
export type PushDeps = {
  /** Sees all accounts: browsers are looked up by token and by endpoint. */
  house: Sql;
  config: Pick<Config, 'PUBLIC_URL' | 'PUSH_CONTACT' | 'PUSH_SERVICES'>;
  secrets: Secrets;
  vapid: Vapid;
  outbound: Outbound;
  /** The first words of a message; empty for media without a caption. */
  excerptOf: (type: MessageType, body: Readonly<Record<string, unknown>>) => string;
  log: { warn(facts: object, message: string): void };
  /** Told of what is our fault. */
  report: (trouble: unknown) => void;
  /** Told how each notice ended, for the figures. */
  told: (outcome: string) => void;
};
