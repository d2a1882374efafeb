import type { MessageType } from '#contract/messages.ts';
import type { Config } from '#server/infra/config.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import type { Outbound } from '#server/infra/net/outbound.ts';
import type { Secrets } from '#server/infra/security/secrets.ts';
import type { Vapid } from './vapid.ts';

export type PushDeps = {
  /** Sees all accounts: browsers are looked up by token and by endpoint. */
  allAccountsSql: Sql;
  config: Pick<Config, 'PUBLIC_URL' | 'PUSH_CONTACT' | 'PUSH_SERVICES'>;
  secrets: Secrets;
  vapid: Vapid;
  outbound: Outbound;
  /** The first words of a message; empty for media without a caption. */
  excerptOf: (type: MessageType, body: Readonly<Record<string, unknown>>) => string;
  log: { warn(facts: object, message: string): void };
  report: (error: unknown) => void;
  onOutcome: (outcome: string) => void;
};
