import * as z from 'zod/mini';
import { act } from '#contract/base/act.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { Failure, MessageStatus } from '#contract/messages.ts';
import { CloudAccess, CloudConnection, connectCloud } from '#contract/tokens/cloud.ts';
import { Parting } from '#contract/tokens/connection.ts';
import { ChannelName, TokenStatus } from '#contract/tokens.ts';

/** The installation's own token: what sends codes and notices. Never a text, a code or a whole number. */
export const SystemToken = schema(() =>
  z.object({
    status: TokenStatus(),
    channel: ChannelName(),
    /** Since when and why it is parted from its real network; null while it is connected, or never was. */
    parted: z.nullable(z.object({ at: z.coerce.date(), reason: Parting() })),
    /** Where it may be moved to. */
    others: z.array(ChannelName()),
    /** The linked number without its middle; null while it is linked to none. */
    phone: z.nullable(z.string()),
    /** Its number of the Cloud API; null while it has none. */
    cloud: z.nullable(CloudConnection()),
    /** The template that carries codes by the Cloud API; null by another channel, or while Meta has approved none. */
    code_template: z.nullable(z.object({ name: z.string(), language: z.string() })),
    /** Messages of the WIB day, by how far they have come. */
    today: z.object({
      waiting: z.int(),
      sent: z.int(),
      delivered: z.int(),
      failed: z.int(),
      expired: z.int(),
    }),
    /** Why messages of the last 24 hours failed, the commonest first. */
    failures: z.array(z.object({ failure: z.nullable(Failure()), count: z.int() })),
    /**
     * One-time codes of the WIB day: asked for and entered in all; asked for by the purpose with most of them, and how
     * many a purpose may have.
     */
    codes: z.object({ asked: z.int(), entered: z.int(), fullest: z.int(), cap: z.int() }),
    /** The address that asked for most of them for one purpose, and how many one may. */
    address: z.object({ asked: z.int(), cap: z.int() }),
    /** The newest messages. */
    last: z.array(
      z.object({
        to: z.string(),
        status: MessageStatus(),
        failure: z.nullable(Failure()),
        at: z.coerce.date(),
      }),
    ),
    /** Where a test message goes: the caller's own number without its middle. */
    own_phone: z.string(),
  }),
);
export type SystemToken = Output<typeof SystemToken>;

export const getSystemToken = act({
  name: 'operator_system_token_get',
  by: 'operator',
  output: SystemToken,
});

/** Makes the one-time public address where the phone that shall send scans the QR. */
export const linkSystemToken = act({
  name: 'operator_system_token_link',
  by: 'operator',
  changes: true,
  audited: true,
  requiresRecentPassword: true,
  output: () => z.object({ path: z.string(), expires_at: z.coerce.date() }),
  refuses: ['account_suspended', 'channel_other'],
});

/** Until it is linked again nobody signs in from a new browser, and nobody registers. */
export const unlinkSystemToken = act({
  name: 'operator_system_token_unlink',
  by: 'operator',
  changes: true,
  audited: true,
  requiresRecentPassword: true,
  output: SystemToken,
});

/** Connects it with its number of the Cloud API, or enters a new access token, as `connectCloud` does. */
export const connectSystemToken = act({
  name: 'operator_system_token_connect',
  by: 'operator',
  changes: true,
  audited: true,
  requiresRecentPassword: true,
  input: () => CloudAccess().shape,
  output: SystemToken,
  refuses: connectCloud.refuses,
});

/** Moves it to another channel; its number is to be connected anew, and until then no code reaches anybody. */
export const moveSystemToken = act({
  name: 'operator_system_token_move',
  by: 'operator',
  changes: true,
  audited: true,
  requiresRecentPassword: true,
  input: () => ({ channel: ChannelName() }),
  output: SystemToken,
  refuses: ['channel_off', 'channel_busy', 'channel_waiting', 'account_suspended'],
});

/** Sends a test message to the caller's own number. */
export const testSystemToken = act({
  name: 'operator_system_token_test',
  by: 'operator',
  changes: true,
  audited: true,
  limit: 'auth',
  output: () => z.object({ to: z.string() }),
  refuses: ['system_token_parted'],
});
