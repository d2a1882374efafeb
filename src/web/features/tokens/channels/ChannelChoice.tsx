import { useQuery } from '@tanstack/react-query';
import type { OfferedChannel } from '#contract/channels.ts';
import type { ChannelName } from '#contract/tokens.ts';
import { AboutChannel } from '#web/features/tokens/channels/AboutChannel.tsx';
import { aboutChannel, pricesOf } from '#web/features/tokens/channels/channelWords.ts';
import { channelsQuery } from '#web/features/tokens/channels/queries.ts';
import { channelLabel } from '#web/features/tokens/labels.ts';
import { ChoiceCards } from '#web/ui/choice/ChoiceCards.tsx';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

type Props = {
  legend: string;
  /** The channel to exclude: a token already has it. */
  without?: ChannelName;
  value: ChannelName | undefined;
  error?: string | undefined;
  onChange: (channel: ChannelName) => void;
};

export function ChannelChoice({ legend, without, value, error, onChange }: Props) {
  const { data, error: failure, refetch } = useQuery(channelsQuery);
  if (!data) {
    return failure ? (
      <WentWrong query={{ error: failure, refetch }} />
    ) : (
      <div aria-busy="true" className="grid gap-8">
        <Skeleton width="5em" />
        <Skeleton height={116} />
        <Skeleton height={116} />
      </div>
    );
  }
  const offered = data.filter(({ channel }) => channel !== without);
  if (offered.length === 0) {
    return (
      <p className="muted">
        {without
          ? 'Tidak ada kanal lain yang tersedia di sini.'
          : 'Belum ada kanal yang tersedia di sini. Hubungi layanan pelanggan.'}
      </p>
    );
  }
  return (
    <ChoiceCards
      legend={legend}
      name="channel"
      value={value}
      error={error}
      onChange={onChange}
      choices={offered.map((one) => ({
        value: one.channel,
        title: channelLabel[one.channel],
        children: (
          <>
            <AboutChannel channel={one.channel} />
            <Prices offered={one} />
          </>
        ),
      }))}
    />
  );
}

function Prices({ offered }: { offered: OfferedChannel }) {
  const { pays } = aboutChannel[offered.channel];
  return (
    <>
      {pays && <span>{pays}</span>}
      <span className="flex wrap gap-2 gap-x-12 ink semibold">
        {pricesOf(offered).map((price) => (
          <span key={price} className="num">
            {price}
          </span>
        ))}
      </span>
    </>
  );
}
