import { useQuery } from '@tanstack/react-query';
import { RotateCcw } from 'lucide-react';
import { useId } from 'react';
import { formatNumber } from '#contract/base/money.ts';
import {
  deliveryStateLabel,
  replayDelivery,
  type DeliveryAttempt,
  type DeliveryDetail,
  eventTypeLabel,
  type Webhook,
} from '#contract/webhooks.ts';
import { refusalCode, sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { useUser } from '#web/api/user.ts';
import { Peer } from '#web/features/webhooks/deliveries/Peer.tsx';
import {
  adviceFor,
  answerWords,
  deliveryTone,
  formatDaySecond,
  offReason,
} from '#web/features/webhooks/labels.ts';
import { deliveryQuery, useWebhookChanged } from '#web/features/webhooks/queries.ts';
import styles from '#web/features/webhooks/webhooks.module.css';
import { classes } from '#web/ui/classes.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { CodeBlock } from '#web/ui/copy/CodeBlock.tsx';
import { CopyButton } from '#web/ui/copy/CopyField.tsx';
import { Drawer } from '#web/ui/overlay/Modal.tsx';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Facts, Panel, Stack, type Fact } from '#web/ui/panel/Panel.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { Timeline, type TimelineEntry } from '#web/ui/status/Timeline.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

type Props = {
  webhook: Webhook;
  id: string | undefined;
  onClose: () => void;
};

export function DeliveryDrawer({ webhook, id, onClose }: Props) {
  return (
    <Drawer
      addressed
      open={id !== undefined}
      onClose={onClose}
      title="Rincian pengiriman"
      size="lg"
    >
      {id !== undefined && <Content webhook={webhook} id={id} />}
    </Drawer>
  );
}

function Content({ webhook, id }: { webhook: Webhook; id: string }) {
  const { token_id: tokenId, state } = webhook;
  const { data: delivery, error, refetch } = useQuery(deliveryQuery(tokenId, id));
  if (delivery) return <Details tokenId={tokenId} isOff={state === 'off'} delivery={delivery} />;
  if (error) {
    const isGone = refusalCode(error) === 'not_found';
    return (
      <WentWrong
        message={sentenceOf(error)}
        {...(isGone ? {} : { onRetry: () => void refetch() })}
      />
    );
  }
  return (
    <div aria-busy="true">
      <Stack gap={24}>
        <Skeleton height={24} width={160} />
        <Skeleton lines={4} />
        <Skeleton height={160} />
      </Stack>
    </div>
  );
}

type DetailsProps = { tokenId: string; isOff: boolean; delivery: DeliveryDetail };

function Details({ tokenId, isOff, delivery }: DetailsProps) {
  const reason = useId();
  const { timezone: zone } = useUser();
  const changed = useWebhookChanged(tokenId);
  const replay = useAct(replayDelivery, {
    onSuccess: () => {
      changed();
      toast('Dikirim ulang.', { tone: 'success' });
    },
  });
  return (
    <Stack gap={24}>
      <Stack gap={12}>
        <RefusalAlert error={replay.error} />
        <Facts facts={factsOf(delivery, zone)} />
        <div>
          <Button
            variant="subtle"
            icon={<RotateCcw size={18} aria-hidden="true" />}
            disabled={isOff}
            aria-describedby={isOff ? reason : undefined}
            busy={replay.busy}
            onClick={() => replay.mutate({ token_id: tokenId, delivery_id: delivery.id })}
          >
            {delivery.state === 'waiting' ? 'Kirim sekarang' : 'Kirim ulang'}
          </Button>
        </div>
        {isOff && (
          <p id={reason} className="small faint">
            {offReason}
          </p>
        )}
      </Stack>
      <Panel title="Percobaan">
        {delivery.attempts.length === 0 ? (
          <p className="small faint">
            {delivery.state === 'skipped'
              ? 'Tidak dikirim: format webhook ini tidak memiliki bentuk untuk peristiwa ini, atau pesannya sudah dihapus.'
              : 'Belum dicoba. Bila ada yang lebih dulu di percakapan yang sama, itu dikirim lebih dulu.'}
          </p>
        ) : (
          <Timeline entries={delivery.attempts.map((attempt) => entryOf(attempt, zone))} />
        )}
      </Panel>
      <Panel title="Isi">
        {delivery.body === null ? (
          <p className="small faint">
            Tidak ada lagi yang dikirim: datanya sudah dihapus dari akun ini.
          </p>
        ) : (
          <CodeBlock title="JSON, dirapikan" code={readable(delivery.body)} />
        )}
      </Panel>
    </Stack>
  );
}

function factsOf(delivery: DeliveryDetail, zone: string): readonly Fact[] {
  const { state, type, created_at, next_at, tries } = delivery;
  return [
    {
      term: 'Status',
      is: <StatusChip tone={deliveryTone[state]}>{deliveryStateLabel[state]}</StatusChip>,
    },
    {
      term: 'Peristiwa',
      is: (
        <>
          {eventTypeLabel[type]} <code>{type}</code>
        </>
      ),
    },
    ...(delivery.peer === null ? [] : [{ term: 'Nomor', is: <Peer delivery={delivery} /> }]),
    { term: 'Terjadi', is: formatDaySecond(created_at, zone) },
    { term: 'Percobaan', is: <span className="num">{formatNumber(tries)}</span> },
    ...(state === 'waiting' && next_at
      ? [{ term: 'Dicoba lagi', is: formatDaySecond(next_at, zone) }]
      : []),
    {
      term: <span id="delivery-id">webhook-id</span>,
      is: (
        <span className={classes('row wrap gap-4 gap-x-8', styles['id'])}>
          <code>{delivery.id}</code>
          <CopyButton value={delivery.id} describes="delivery-id" />
        </span>
      ),
    },
  ];
}

const isGood = (status: number | null): boolean => status !== null && status >= 200 && status < 300;

function entryOf(attempt: DeliveryAttempt, zone: string): TimelineEntry {
  const { n, at, ms, status } = attempt;
  return {
    key: String(n),
    title: `Percobaan ${n}: ${answerWords(attempt)}`,
    time: formatDaySecond(at, zone),
    at,
    tone: isGood(status) ? 'success' : 'danger',
    detail: <Attempt attempt={attempt} ms={ms} />,
  };
}

function Attempt({ attempt, ms }: { attempt: DeliveryAttempt; ms: number }) {
  const advice = adviceFor(attempt);
  const headers = Object.entries(attempt.headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <div className="stack gap-6">
      <p>
        Dijawab dalam <span className="num">{formatNumber(ms)} ms</span>.{advice && ` ${advice}`}
      </p>
      {attempt.answer !== '' && (
        <p className={styles['answer']}>
          <bdi>{attempt.answer}</bdi>
        </p>
      )}
      <details className="folded">
        <summary>Header yang dikirim</summary>
        <CodeBlock title={`Header percobaan ${attempt.n}`} code={headers.join('\n')} />
      </details>
    </div>
  );
}

/** Pretty-prints JSON; other text is returned as it is. */
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
