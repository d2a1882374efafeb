import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useId, useRef } from 'react';
import { formatNumber } from '#contract/base/money.ts';
import { formatPhone } from '#contract/base/phone.ts';
import { formatAgo, formatDateTime } from '#contract/base/time.ts';
import { tokenStatusLabel, type Token } from '#contract/tokens.ts';
import { isNotFound, sentenceOf } from '#web/api/errors.ts';
import { useUser } from '#web/api/user.ts';
import { ExpiryChip } from '#web/features/tokens/access/ExpiryChip.tsx';
import { Developers } from '#web/features/tokens/drawer/Developers.tsx';
import { TokenReview, ReviewChip } from '#web/features/tokens/drawer/TokenReview.tsx';
import { LinkPart } from '#web/features/tokens/links/LinkPart.tsx';
import { tokenQuery } from '#web/features/tokens/queries.ts';
import { TokenActions } from '#web/features/tokens/drawer/TokenActions.tsx';
import { TokenSettings } from '#web/features/tokens/drawer/TokenSettings.tsx';
import styles from '#web/features/tokens/tokens.module.css';
import { channelLabel, statusTone } from '#web/features/tokens/labels.ts';
import { SupportLink } from '#web/features/support/support.ts';
import { classes } from '#web/ui/classes.ts';
import { EmptyState, WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Drawer } from '#web/ui/overlay/Modal.tsx';
import { Facts } from '#web/ui/panel/Panel.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';

/** Most tokens of a trial never use a real network. */
const ConnectionPart = lazy(async () => ({
  default: (await import('#web/features/tokens/channels/ConnectionPart.tsx')).ConnectionPart,
}));

type Props = {
  id: string;
  linking: boolean;
  onClose: () => void;
};

export function TokenDrawer({ id, linking, onClose }: Props) {
  const { data: token, isError, error, refetch } = useQuery(tokenQuery(id));
  return (
    <Drawer addressed open onClose={onClose} title={token?.name ?? 'Token'}>
      {token ? (
        <Details token={token} linking={linking} onGone={onClose} />
      ) : isError ? (
        isNotFound(error) ? (
          <EmptyState title="Token ini tidak ditemukan">
            Alamatnya mungkin salah tulis, atau token ini sudah dihapus.
          </EmptyState>
        ) : (
          <WentWrong message={sentenceOf(error)} onRetry={() => void refetch()} />
        )
      ) : (
        <div aria-busy="true" className="stack gap-24">
          <Skeleton height={24} width={120} />
          <Skeleton height={18} lines={6} />
        </div>
      )}
    </Drawer>
  );
}

type DetailsProps = { token: Token; linking: boolean; onGone: () => void };

function Details({ token, linking, onGone }: DetailsProps) {
  const title = useId();
  const states = useRef<HTMLDivElement>(null);
  const { review } = token;
  return (
    <div className={classes('stack gap-24', styles['drawer'])}>
      <div ref={states} tabIndex={-1}>
        <span className={classes('inline-flex wrap gap-4 gap-x-6', styles['states'])}>
          <StatusChip tone={statusTone[token.status]}>{tokenStatusLabel[token.status]}</StatusChip>
          <ReviewChip token={token} />
          <ExpiryChip token={token} />
        </span>
        {token.status === 'suspended' && (
          <p className="small faint">
            Token ini ditangguhkan pengelola layanan.{' '}
            <SupportLink>Hubungi layanan pelanggan</SupportLink>.
          </p>
        )}
      </div>
      {review && (
        <TokenReview
          token={{ ...token, review }}
          onKept={() => states.current?.focus()}
          onGone={onGone}
        />
      )}
      <section className="stack gap-24" aria-labelledby={title}>
        <h3 id={title}>Nomor</h3>
        {token.channel === 'simulator' ? (
          <LinkPart token={token} linking={linking} />
        ) : (
          <Suspense fallback={<Skeleton height={18} lines={6} />}>
            <ConnectionPart key={token.channel} token={token} linking={linking} />
          </Suspense>
        )}
        <TokenFacts token={token} />
        <TokenSettings key={token.id} token={token} />
        <TokenActions token={token} onGone={onGone} />
      </section>
      <Developers token={token} />
    </div>
  );
}

function TokenFacts({ token }: { token: Token }) {
  const { timezone } = useUser();
  return (
    <section className={styles['part']}>
      <h4>Rincian</h4>
      <Facts
        facts={[
          {
            term: 'Nomor',
            is: token.phone ? formatPhone(token.phone) : 'Belum ada nomor yang tersambung',
          },
          { term: 'Kanal', is: channelLabel[token.channel] },
          {
            term: 'Pesan hari ini',
            is: `${formatNumber(token.sent_today)} dari ${formatNumber(token.daily_limit)}`,
          },
          {
            term: 'Kunci API terakhir dipakai',
            is: token.last_used_at
              ? formatAgo(token.last_used_at, undefined, timezone)
              : 'Belum pernah',
          },
          { term: 'Dibuat', is: formatDateTime(token.created_at, timezone) },
        ]}
      />
    </section>
  );
}
