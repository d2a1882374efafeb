import { useQuery } from '@tanstack/react-query';
import { Link } from '#web/browser/router/Link.tsx';
import { ChevronRight, MessageCircle, MessageSquareText } from 'lucide-react';
import { useDeferredValue, useEffect, useState } from 'react';
import type { HomeSummary } from '#contract/messages.ts';
import { formatNumber } from '#contract/base/money.ts';
import { storageSet, storageGet } from '#web/browser/storage.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useUser } from '#web/api/user.ts';
import { Attention, isOfWebhook } from '#web/features/home/Attention.tsx';
import { ChecklistSkeleton, Checklist } from '#web/features/home/Checklist.tsx';
import {
  Days,
  Sentences,
  SentencesSkeleton,
  Today,
  TodaySkeleton,
} from '#web/features/home/Figures.tsx';
import { hasFigures, progressOf } from '#web/features/home/figures.ts';
import styles from '#web/features/home/home.module.css';
import { classes } from '#web/ui/classes.ts';
import { FirstSent } from '#web/features/home/FirstSent.tsx';
import { Newest } from '#web/features/home/Newest.tsx';
import { homeQuery } from '#web/features/home/queries.ts';
import { lastSentIn } from '#web/features/home/steps.ts';
import { InstallCard } from '#web/features/home/InstallCard.tsx';
import { TopupButton } from '#web/features/saldo/saldo.ts';
import { useSkeleton } from '#web/ui/skeleton/useSkeleton.ts';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { LinkButton } from '#web/ui/button/Button.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { PageHead } from '#web/ui/layout/PageHead.tsx';
import { Panel, Stack } from '#web/ui/panel/Panel.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

/** Route `/`: the first steps until they are done, then the overview. */
export function HomePage() {
  const home = useQuery(homeQuery);
  const waiting = useSkeleton(home.isPending);
  const { name } = useUser();
  return (
    <>
      <PageHead
        title="Beranda"
        context={<bdi>{name}</bdi>}
        action={home.data && isStarted(home.data) && home.data.checklist.linked && <Send />}
      />
      {home.data && !waiting ? (
        <Overview home={home.data} />
      ) : home.isError ? (
        <WentWrong message={sentenceOf(home.error)} onRetry={() => void home.refetch()} />
      ) : (
        <LoadingRows />
      )}
    </>
  );
}

/** Past the first steps. A number that is disconnected later needs attention, not these steps. */
const isStarted = ({ checklist }: HomeSummary): boolean => checklist.sent;

const Send = () => (
  <LinkButton
    to="/message-history"
    search={{ new: '1' }}
    icon={<MessageSquareText size={18} aria-hidden="true" />}
  >
    Kirim pesan
  </LinkButton>
);

function Overview({ home }: { home: HomeSummary }) {
  // Rendering everything at once would block a phone: the lower part follows a moment later.
  const whole = useDeferredValue(true, false);
  const started = isStarted(home);
  const { next } = progressOf(home.checklist);
  const needsSteps = next === 'topped_up' || !home.checklist.has_token;
  const [sentHere, setSentHere] = useState(false);
  const first = sentHere && home.checklist.sent ? lastSentIn(home) : undefined;
  const layout = !started ? 'steps' : hasFigures(home.days) ? 'figures' : 'sentences';
  useEffect(() => storageSet('browser', LAYOUT, layout), [layout]);
  const today = layout === 'figures' ? <Today {...home} /> : <Sentences {...home} />;
  const isCalm = !home.unpaid_plan && home.attention.length + home.paused.length === 0;
  return (
    <div className="stack gap-36">
      {first && <FirstSent message={first} />}
      {started ? (
        <>
          {needsSteps && <Checklist home={home} onSent={() => setSentHere(true)} />}
          <div
            className={classes('stack align-start gap-24', styles['top'])}
            data-calm={isCalm || undefined}
          >
            <Saldo saldo={home.saldo} hasButton={next !== 'topped_up'} />
            {isCalm ? (
              today
            ) : (
              <Stack gap={12}>
                <Attention tokens={home.attention} plan={home.unpaid_plan} paused={home.paused} />
                <Unread unread={home.unread} />
              </Stack>
            )}
          </div>
          {isCalm ? <Unread unread={home.unread} /> : today}
          {whole ? (
            <>
              {layout === 'figures' && <Days days={home.days} />}
              <Newest messages={home.newest} />
            </>
          ) : (
            <SkeletonBelow layout={layout} />
          )}
        </>
      ) : (
        <>
          {/* The steps cover tokens that wait for a phone, but not webhooks or tokens that may belong to others. */}
          <Attention
            plan={home.unpaid_plan}
            tokens={home.attention.filter(
              (token) => token.reason === 'under_review' || isOfWebhook(token),
            )}
          />
          <Checklist home={home} onSent={() => setSentHere(true)} />
          {home.newest.length > 0 && <Newest messages={home.newest} />}
        </>
      )}
      <InstallCard />
    </div>
  );
}

/** @param hasButton false while the open step has the button. */
const Saldo = ({ saldo, hasButton }: { saldo: HomeSummary['saldo']; hasButton: boolean }) => (
  <Panel title="Saldo">
    <div className={classes('card py-16 px-18', styles['box'])}>
      <p className="figure">
        <Money amount={saldo.available} />
      </p>
      {saldo.held > 0 && (
        <p className="mt-4 small faint">
          <Money amount={saldo.held} /> tertahan untuk pesan yang belum terkirim
        </p>
      )}
      {hasButton && (
        <div className="mt-16">
          <TopupButton variant="subtle" />
        </div>
      )}
    </div>
  </Panel>
);

const Unread = ({ unread }: { unread: number }) =>
  unread > 0 && (
    <Link
      to="/message-history"
      search={{ view: 'percakapan' }}
      className={classes(
        'grid align-center gap-12 min-h-52 card py-8 px-16 ink strong no-underline',
        styles['unread'],
      )}
    >
      <MessageCircle size={18} className="text-accent" aria-hidden="true" />
      <span>{formatNumber(unread)} balasan belum dibaca</span>
      <ChevronRight size={18} className="text-accent" aria-hidden="true" />
    </Link>
  );

const LAYOUT = 'home-layout';

/** Skeleton of the last layout in this browser: figures, sentences, or the first steps. */
function LoadingRows() {
  const layout = storageGet('browser', LAYOUT);
  return (
    <div className="stack gap-36" aria-busy="true">
      {layout === 'figures' || layout === 'sentences' ? (
        <>
          <div className={classes('stack align-start gap-24', styles['top'])} data-calm>
            <Panel title="Saldo">
              <div className={classes('card py-16 px-18', styles['box'])}>
                <Skeleton width={150} height={33} />
                <div className="mt-16">
                  <Skeleton width={96} height={40} />
                </div>
              </div>
            </Panel>
            {layout === 'figures' ? <TodaySkeleton /> : <SentencesSkeleton />}
          </div>
          <SkeletonBelow layout={layout} />
        </>
      ) : (
        <Panel title="Langkah pertama" look="card">
          <Skeleton height={6} />
          <ChecklistSkeleton />
        </Panel>
      )}
    </div>
  );
}

const SkeletonBelow = ({ layout }: { layout: string }) => (
  <>
    {layout === 'figures' && (
      <Panel title="30 hari terakhir">
        <Skeleton height={230} />
      </Panel>
    )}
    <Newest messages={undefined} />
  </>
);
