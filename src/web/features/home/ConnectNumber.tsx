import { tokenQuery } from '#web/api/allTokens.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { HomeSummary } from '#contract/messages.ts';
import { firstToken, type Token } from '#contract/tokens.ts';
import { useAct } from '#web/api/query.ts';
import styles from '#web/features/home/home.module.css';
import { classes } from '#web/ui/classes.ts';
import { homeQuery } from '#web/features/home/queries.ts';
import { connectWords, stepsOf, waitingIn } from '#web/features/home/steps.ts';
import { UnofficialRisk } from '#web/features/scan/scan.ts';
import {
  LinkPart,
  MoveToken,
  channelLabel,
  channelsQuery,
  useTokenChanged,
} from '#web/features/tokens/tokens.ts';
import { Button, LinkButton } from '#web/ui/button/Button.tsx';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

type Props = { home: HomeSummary };

/** The first step: shows the QR of the account's first token, which it makes if there is none. */
export function ConnectNumber({ home }: Props) {
  const waiting = waitingIn(home);
  if (waiting) return <Connect key={waiting.token_id} id={waiting.token_id} home={home} />;
  return home.checklist.has_token ? <OnTokenPage home={home} /> : <MakeToken />;
}

/** For a number that is connected with access from Meta, and for tokens that cannot be connected now. */
const OnTokenPage = ({ home }: Props) => (
  <>
    <p>{connectWords(home)}</p>
    <LinkButton href={stepsOf(home).linked.href}>Sambungkan nomor</LinkButton>
  </>
);

/** Makes the token on the first offered channel; the refetched home then names it. */
function MakeToken() {
  const { data: channels, error: unloaded, refetch } = useQuery(channelsQuery);
  const changed = useTokenChanged();
  const make = useAct(firstToken, { onSuccess: (token) => changed(token) });
  const channel = channels?.[0]?.channel;
  const begin = useRef(make.mutate);
  useEffect(() => {
    if (channel) begin.current({ channel });
  }, [channel]);
  if (channels && !channel)
    return <p>Belum ada kanal yang tersedia di sini. Hubungi layanan pelanggan.</p>;
  const error = make.busy ? null : (make.error ?? (channels ? null : unloaded));
  if (!error) return <Waiting />;
  const retry = () => (channel ? make.mutate({ channel }) : void refetch());
  return <WentWrong query={{ error, refetch: retry }} />;
}

function Connect({ id, home }: Props & { id: string }) {
  const { data: token, error, refetch } = useQuery(tokenQuery(id));
  const client = useQueryClient();
  const isLinked = token?.status === 'linked';
  useEffect(() => {
    // The live event may be late: the token itself is polled.
    if (isLinked) void client.invalidateQueries({ queryKey: homeQuery.queryKey });
  }, [isLinked, client]);
  if (!token && error) return <WentWrong query={{ error, refetch }} />;
  if (!token) return <Waiting />;
  return (
    <div className={classes('stack gap-16', styles['connect'])}>
      {token.channel === 'cloud' ? (
        <OnTokenPage home={home} />
      ) : (
        <LinkPart
          key={token.channel}
          token={token}
          linking={false}
          atOnce
          risk={token.channel === 'web' && <UnofficialRisk />}
        />
      )}
      {!isLinked && <OtherChannel token={token} />}
    </div>
  );
}

function OtherChannel({ token }: { token: Token }) {
  const { data: channels } = useQuery(channelsQuery);
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  if (!channels?.some(({ channel }) => channel !== token.channel)) return null;
  return (
    <p>
      Kanal: {channelLabel[token.channel]}.{' '}
      <Button variant="link" onClick={() => setOpen(true)}>
        Ganti kanal
      </Button>
      {isOpen && <MoveToken token={token} onClose={close} onMoved={close} />}
    </p>
  );
}

const Waiting = () => (
  <div aria-busy="true">
    <Skeleton width={264} height={264} />
  </div>
);
