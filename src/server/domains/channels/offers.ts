import { ChannelName } from '#contract/tokens.ts';
import { type PriceCategory, listChannels } from '#contract/tokens/channels.ts';
import { getConnection } from '#contract/tokens/connection.ts';
import type { Rupiah } from '#contract/base/money.ts';
import { readToken } from '#server/domains/tokens/tokens.ts';
import { type ActHandler, handle } from '#server/infra/acts.ts';
import type { Config } from '#server/infra/config.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import { readConnection } from './health.ts';

type Offering = Pick<Config, 'SIMULATOR' | 'CHANNEL_CLOUD' | 'CHANNEL_WEB'>;

/** Whether an installation lets tokens use a channel. */
export const isOffered = (config: Offering, channel: ChannelName): boolean =>
  ({ simulator: config.SIMULATOR, cloud: config.CHANNEL_CLOUD, web: config.CHANNEL_WEB })[channel];

type OffersDeps = {
  sql: Sql;
  config: Offering;
  priceOf: (category: PriceCategory, at: Date) => Rupiah;
  now: () => Date;
};

const categoriesOf: Record<ChannelName, readonly PriceCategory[]> = {
  simulator: ['message'],
  cloud: ['marketing', 'utility', 'authentication', 'service'],
  web: ['message'],
};

/** The acts of channels: which there are, what they cost, and how a token's number stands in its own. */
export const channelActs = ({ sql, config, priceOf, now }: OffersDeps): readonly ActHandler[] => [
  handle(listChannels, async () => ({
    channels: ChannelName()
      .options.filter((channel) => isOffered(config, channel))
      .map((channel) => ({
        channel,
        prices: categoriesOf[channel].map((category) => ({
          category,
          price: priceOf(category, now()),
        })),
      })),
  })),
  handle(getConnection, ({ caller: { accountId } }, { token_id: tokenId }) =>
    asAccount(sql, accountId, async (tx) => {
      const token = await readToken(tx, accountId, tokenId);
      if (token.channel === 'simulator') return null;
      return (await readConnection(tx, { accountId, tokenId }, now())) ?? null;
    }),
  ),
];
