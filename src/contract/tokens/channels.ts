import * as z from 'zod/mini';
import { act } from '#contract/base/act.ts';
import { IdInput } from '#contract/base/ids.ts';
import { Rupiah } from '#contract/base/money.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { ChannelName, Token } from '#contract/tokens.ts';

/** What has a list price: a message, and by the Cloud API a message of each category. */
export const PriceCategory = schema(() =>
  z.enum(['message', 'marketing', 'utility', 'authentication', 'service']),
);
export type PriceCategory = Output<typeof PriceCategory>;

/** The prices in the interface's words. */
export const categoryLabel: Record<PriceCategory, string> = {
  message: 'Pesan',
  marketing: 'Pemasaran',
  utility: 'Utilitas',
  authentication: 'Autentikasi',
  service: 'Layanan (balasan dalam 24 jam)',
};

/** A channel that tokens may use here, with what its messages cost now. */
export const OfferedChannel = schema(() =>
  z.object({
    channel: ChannelName(),
    prices: z.array(z.object({ category: PriceCategory(), price: Rupiah() })),
  }),
);
export type OfferedChannel = Output<typeof OfferedChannel>;

/** The channels of this installation, in the order in which they are offered. */
export const listChannels = act({
  name: 'channel_list',
  by: 'customer',
  input: () => ({}),
  output: () => z.object({ channels: z.array(OfferedChannel()) }),
});

/**
 * Moves a token to another channel: its key, name, limits and history stay; its number is to be connected anew.
 * What is queued waits for that.
 */
export const moveToken = act({
  name: 'token_move',
  by: 'customer',
  changes: true,
  audited: true,
  requiresRecentPassword: true,
  input: () => ({ token_id: IdInput('token'), channel: ChannelName() }),
  output: Token,
  refuses: ['channel_off', 'channel_busy', 'channel_waiting', 'account_suspended'],
});
