import { later } from '#web/browser/lazyComponent.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '#web/browser/router/Link.tsx';
import {
  ChevronRight,
  MessageCircle,
  MessageSquareText,
  TriangleAlert,
  Check,
  Download,
  Smartphone,
} from 'lucide-react';
import { useDeferredValue, useEffect, useState, type ReactNode, Suspense, useMemo } from 'react';
import type { HomeSummary } from '#contract/messages.ts';
import { formatNumber } from '#contract/base/money.ts';
import { storageSet, storageGet } from '#web/browser/storage.ts';
import { useUser } from '#web/api/user.ts';
import {
  hasFigures,
  progressOf,
  stepKeys,
  type StepKey,
  changeFrom,
  periodSentence,
  todaySentence,
} from '#web/features/home/figures.ts';
import styles from '#web/features/home/home.module.css';
import { classes } from '#web/ui/classes.ts';
import { FirstSent } from '#web/features/home/FirstSent.tsx';
import { homeQuery } from '#web/features/home/queries.ts';
import { lastSentIn, reasonWords, type StepFacts, stepsOf } from '#web/features/home/steps.ts';
import { TopupButton } from '#web/features/saldo/saldo.ts';
import { useSkeleton } from '#web/ui/skeleton/useSkeleton.ts';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { LinkButton, Button } from '#web/ui/button/Button.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { PageHead } from '#web/ui/layout/PageHead.tsx';
import { Panel, Stack } from '#web/ui/panel/Panel.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { formatDateTimeZone, civilDate, formatDate } from '#contract/base/time.ts';
import { percentOf, segmentsOf } from '#contract/messages/counts.ts';
import {
  statusSegments,
  PeerName,
  ScheduledFor,
  StatusMark,
  excerptOf,
  hasCost,
} from '#web/features/messages/messages.ts';
import { SmallBars } from '#web/ui/chart/SmallBars.tsx';
import { Stat, Stats } from '#web/ui/chart/Stat.tsx';
import { install, putOffInstall, useInstallOffer } from '#web/browser/install/install.ts';
import { OfferCard } from '#web/ui/panel/OfferCard.tsx';
import { toast } from '#web/ui/toast/toasts.ts';
import { TimeAgo } from '#web/ui/time/DateTime.tsx';
import { navigate } from '#web/browser/router/navigation.ts';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';

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
        <WentWrong query={home} />
      ) : (
        <LoadingRows />
      )}
    </>
  );
}

/** Past the first steps. A number that is disconnected later needs attention, not these steps. */
const isStarted = ({ checklist }: HomeSummary): boolean => checklist.sent;

const Send = () => (
  <LinkButton to="/message-history" search={{ new: '1' }} icon={<MessageSquareText size={18} />}>
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
    <div className="stack gap-32">
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
    <div className="card py-16 px-16">
      <p className="figure">
        <Money amount={saldo.available} />
      </p>
      {saldo.held > 0 && (
        <p className="mt-6 small faint">
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
      className="grid align-center gap-12 min-h-52 card py-8 px-16 ink strong no-underline hover columns-between"
    >
      <MessageCircle size={18} className="text-accent" />
      <span>{formatNumber(unread)} balasan belum dibaca</span>
      <ChevronRight size={18} className="text-accent" />
    </Link>
  );

const LAYOUT = 'home-layout';

/** Skeleton of the last layout in this browser: figures, sentences, or the first steps. */
function LoadingRows() {
  const layout = storageGet('browser', LAYOUT);
  return (
    <div className="stack gap-32" aria-busy="true">
      {layout === 'figures' || layout === 'sentences' ? (
        <>
          <div className={classes('stack align-start gap-24', styles['top'])} data-calm>
            <Panel title="Saldo">
              <div className="card py-16 px-16">
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

type Token = HomeSummary['attention'][number];

/** True when the webhook of the token needs attention, which has a page of its own. */
const isOfWebhook = ({ reason }: Token): boolean => reason.startsWith('webhook_');

const placeOf = (token: Token): string =>
  isOfWebhook(token)
    ? `/token/webhook?token=${token.token_id}`
    : `/token?open=${token.token_id}${linkable.has(token.reason) ? '&view=link' : ''}`;

const linkable: ReadonlySet<Token['reason']> = new Set(['not_linked', 'disconnected']);

type Props = {
  tokens: readonly Token[];
  plan: HomeSummary['unpaid_plan'];
  paused?: HomeSummary['paused'];
};

/** Lists the tasks of the owner: an unpaid plan, broadcasts that paused by themselves, then tokens. */
function Attention({ tokens, plan, paused = [] }: Props) {
  const zone = useUser().timezone;
  if (!plan && tokens.length + paused.length === 0) return null;
  return (
    <Panel title="Perlu perhatian">
      <ul className={classes('py-4 px-16 rounded-lg bg-warning', styles['attention'])}>
        {plan && (
          <Item href="/billing" name={`Paket ${plan.name}`}>
            {planWords(plan, zone)}
          </Item>
        )}
        {paused.map(({ id, name, waiting }) => (
          <Item key={id} href={`/message-history/kiriman?open=${id}`} name={name}>
            Kiriman dijeda, {formatNumber(waiting)} penerima menunggu. Buka untuk melanjutkan.
          </Item>
        ))}
        {tokens.map((token) => (
          <Item key={`${token.token_id} ${token.reason}`} href={placeOf(token)} name={token.name}>
            {reasonWords(token)}
          </Item>
        ))}
      </ul>
    </Panel>
  );
}

function planWords(
  { status, grace_until: until }: NonNullable<HomeSummary['unpaid_plan']>,
  zone: string,
): string {
  if (status === 'suspended') return 'Ditangguhkan karena belum dibayar. Buka untuk melanjutkan.';
  return until
    ? `Belum dibayar. Kuota dan harganya berlaku sampai ${formatDateTimeZone(until, zone)}.`
    : 'Belum dibayar. Buka untuk membayar.';
}

const Item = ({ href, name, children }: { href: string; name: string; children: ReactNode }) => (
  <li>
    <Link href={href}>
      <TriangleAlert size={18} />
      <span>
        <bdi className="block ink strong hover-underline">{name}</bdi>
        <span className="block small">{children}</span>
      </span>
      <ChevronRight size={18} />
    </Link>
  </li>
);

type ChecklistProps = { home: HomeSummary; onSent: () => void };

/** The steps from a new account to the first message, then to its own saldo; the next one is done here. */
function Checklist({ home, onSent }: ChecklistProps) {
  const { done, next } = progressOf(home.checklist);
  const steps = stepsOf(home);
  return (
    <Panel
      title="Langkah pertama"
      look="card"
      tools={
        <span className="small faint num">
          {done} dari {stepKeys.length} selesai
        </span>
      }
    >
      <progress
        className={classes('block w-full rounded-full bg-line overflow-hidden', styles['progress'])}
        value={done}
        max={stepKeys.length}
        aria-label="Langkah yang selesai"
      />
      <ol className="stack mt-8">
        {stepKeys.map((key, index) => (
          <Step
            key={key}
            number={index + 1}
            step={steps[key]}
            done={home.checklist[key]}
            current={key === next}
          >
            <Doing step={key} home={home} onSent={onSent} />
          </Step>
        ))}
      </ol>
    </Panel>
  );
}

const ChecklistSkeleton = () => (
  <div className="stack mt-8">
    {stepKeys.map((key) => (
      <div key={key} className={classes('grid gap-12 py-12 border-b', styles['step'])}>
        <Skeleton width={28} height={28} round />
        <div className={classes('stack justify-items-start gap-12 min-w-0', styles['stepBody'])}>
          <Skeleton width={160} height={20} />
        </div>
      </div>
    ))}
  </div>
);

// Loaded separately: most visits come after these steps.
const ConnectNumber = later(() => import('#web/features/home/ConnectNumber.tsx'));
const FirstMessage = later(() => import('#web/features/home/FirstMessage.tsx'));

type StepProps = {
  number: number;
  step: StepFacts;
  done: boolean;
  /** The next step is open; the others can be done before it. */
  current: boolean;
  children: ReactNode;
};

const Step = ({ number, step, done, current, children }: StepProps) => (
  <li
    className={classes('grid gap-12 py-12 border-b', styles['step'])}
    data-done={done || undefined}
    aria-current={current ? 'step' : undefined}
  >
    <span
      className={classes(
        'place-center small faint strong num size-28 border-control rounded-full',
        styles['number'],
      )}
      aria-hidden="true"
    >
      {done ? <Check size={16} /> : number}
    </span>
    <div className={classes('stack justify-items-start gap-12 min-w-0', styles['stepBody'])}>
      <h3 className={classes(done && 'faint regular')}>
        {done || current ? (
          step.title
        ) : (
          <Link href={step.href} className="muted no-underline hover-underline">
            {step.title}
          </Link>
        )}
        {done && <span className="sr-only"> (selesai)</span>}
      </h3>
      {current && children}
    </div>
  </li>
);

function Doing({ step, home, onSent }: ChecklistProps & { step: StepKey }) {
  switch (step) {
    case 'linked':
      return (
        <Suspense fallback={<Skeleton width={264} height={264} />}>
          <ConnectNumber home={home} />
        </Suspense>
      );
    case 'sent':
      return (
        <Suspense fallback={<Skeleton lines={6} height={18} />}>
          <FirstMessage home={home} onSent={onSent} />
        </Suspense>
      );
    case 'topped_up':
      return <AddSaldo home={home} />;
  }
}

const AddSaldo = ({ home }: { home: HomeSummary }) => (
  <>
    <p>
      {home.saldo.available > 0 && (
        <>
          Saldo Anda kini <Money amount={home.saldo.available} />
          {home.welcome_bonus > 0 && ', bonus selamat datang dari kami'}.{' '}
        </>
      )}
      Kuota paket dipakai lebih dulu; sesudahnya hanya pesan yang terkirim yang memotong saldo.
    </p>
    <TopupButton variant="subtle" />
  </>
);

const figures = [
  { key: 'sent', label: 'Terkirim' },
  { key: 'delivered', label: 'Sampai' },
  { key: 'read', label: 'Dibaca' },
  { key: 'failed', label: 'Gagal' },
] as const;

type Shown = (typeof figures)[number]['key'];

const Today = ({ today, yesterday }: Pick<HomeSummary, 'today' | 'yesterday'>) => (
  <Panel title="Hari ini">
    <Stats>
      {figures.map(({ key, label }) => (
        <Stat
          key={key}
          label={label}
          value={formatNumber(today[key])}
          change={changeFrom(yesterday[key], today[key])}
          since="dari kemarin"
          lessIsBetter={key === 'failed'}
        >
          {shareOf(key, today)}
          {key === 'failed' && today.failed > 0 && <FailedLink />}
        </Stat>
      ))}
    </Stats>
  </Panel>
);

/** The share of a figure in words; null without anything to compare. */
function shareOf(key: Shown, { accepted, sent, ...counts }: HomeSummary['today']): string | null {
  if (key === 'sent') return null;
  const percent = percentOf(counts[key], key === 'failed' ? accepted : sent);
  if (percent === null) return null;
  return key === 'failed'
    ? `${percent} dari ${formatNumber(accepted)} pesan. `
    : `${percent} dari yang terkirim`;
}

function FailedLink() {
  const day = civilDate(new Date());
  return (
    <Link to="/message-history" search={{ status: ['failed'], from: day, to: day }}>
      Lihat sebabnya
    </Link>
  );
}

const TodaySkeleton = () => (
  <Panel title="Hari ini">
    <Stats>
      {figures.map(({ key, label }) => (
        <Stat key={key} label={label} value={<Skeleton width={48} />}>
          <Skeleton width={110} />
        </Stat>
      ))}
    </Stats>
  </Panel>
);

/** The same in words, while too few days have data for figures and a chart. */
function Sentences({ today, days }: Pick<HomeSummary, 'today' | 'days'>) {
  const { waiting, failed } = today;
  const period = periodSentence(days);
  return (
    <Panel title="Pesan Anda">
      <div className="stack gap-6 card py-16 px-16">
        <p className="large strong pretty">{todaySentence(today)}</p>
        {waiting > 0 && <p>{formatNumber(waiting)} pesan masih antre.</p>}
        {failed > 0 && (
          <p>
            {formatNumber(failed)} pesan gagal. <FailedLink />
          </p>
        )}
        {period && <p>{period}</p>}
        <p className="small faint">
          Angka dan grafik per hari tampil setelah Anda mengirim pesan pada tujuh hari yang berbeda.
        </p>
      </div>
    </Panel>
  );
}

const SentencesSkeleton = () => (
  <Panel title="Pesan Anda">
    <div className="card py-16 px-16">
      <Skeleton lines={3} height={20} />
    </div>
  </Panel>
);

const columns = [
  { key: 'all_sent', label: 'Terkirim' },
  { key: 'all_delivered', label: 'Sampai' },
  { key: 'read', label: 'Dibaca' },
  { key: 'waiting', label: 'Antre' },
  { key: 'failed', label: 'Gagal' },
] as const;

function Days({ days }: { days: HomeSummary['days'] }) {
  const bars = days.map((day) => ({
    // Noon keeps the date in every zone of Indonesia.
    label: formatDate(`${day.date}T12:00:00+07:00`),
    values: {
      ...segmentsOf(day),
      waiting: day.waiting,
      failed: day.failed,
      all_sent: day.sent,
      all_delivered: day.delivered,
    },
  }));
  return (
    <Panel title="30 hari terakhir">
      <SmallBars
        title="Pesan keluar per hari"
        series={statusSegments}
        columns={columns}
        bars={bars}
      />
    </Panel>
  );
}

/** Offers the app to active returning visitors; shows steps where the browser installs by hand. */
function InstallCard() {
  const way = useInstallOffer();
  if (!way) return null;
  const take = async () => {
    if (await install()) toast('Kabari terpasang di perangkat ini.', { tone: 'success' });
  };
  return (
    <OfferCard
      label="Pasang Kabari"
      icon={way === 'button' ? <Download size={20} /> : <Smartphone size={20} />}
      title="Pasang Kabari seperti aplikasi lain."
      onLater={putOffInstall}
      action={
        way === 'button' && (
          <Button size="sm" variant="subtle" onClick={() => void take()}>
            Pasang
          </Button>
        )
      }
    >
      {way === 'button'
        ? 'Terbuka dari layar utama, di jendelanya sendiri.'
        : 'Ketuk Bagikan di Safari, pilih “Tambahkan ke Layar Utama”, lalu buka dari sana agar pemberitahuan dapat diaktifkan.'}
    </OfferCard>
  );
}

type Row = HomeSummary['newest'][number];

/** One message stands for all recent ones of its campaign. */
const standsFor = ({ campaign }: Row) => (campaign && campaign.messages > 1 ? campaign : undefined);

const newestColumns = (zone: string): readonly Column<Row>[] => [
  {
    id: 'peer',
    title: 'Nomor',
    width: 190,
    whole: true,
    cell: (message) => {
      const campaign = standsFor(message);
      if (!campaign) return <PeerName peer={message.peer} name={message.peer_name} />;
      return (
        <>
          Kiriman <bdi>{campaign.name}</bdi>
        </>
      );
    },
    phone: 'title',
  },
  {
    id: 'excerpt',
    title: 'Pesan',
    width: 320,
    cell: (message) => <bdi className="block truncate">{excerptOf(message)}</bdi>,
    phone: 'line',
  },
  {
    id: 'status',
    title: 'Status',
    width: 180,
    cell: (message) => {
      const campaign = standsFor(message);
      if (campaign) return `${formatNumber(campaign.messages)} pesan`;
      return (
        <>
          <StatusMark status={message.status} />
          <ScheduledFor message={message} zone={zone} />
        </>
      );
    },
    phone: 'note',
  },
  {
    id: 'price',
    title: 'Biaya',
    align: 'end',
    width: 100,
    whole: true,
    fills: hasCost,
    cell: (message) => !standsFor(message) && hasCost(message) && <Money amount={message.price} />,
    phone: 'fact',
  },
  {
    id: 'created_at',
    title: 'Waktu',
    align: 'end',
    width: 150,
    cell: ({ created_at: at }) => <TimeAgo at={at} className="faint nowrap" />,
    phone: 'aside',
  },
];

/** The newest messages; each opens its details in the history, or its campaign. Undefined while loading. */
function Newest({ messages }: { messages: readonly Row[] | undefined }) {
  const { timezone } = useUser();
  const shown = useMemo(() => newestColumns(timezone), [timezone]);
  return (
    <Panel title="Pesan terbaru" tools={<Link to="/message-history">Semua pesan</Link>}>
      <DataTable
        caption="Pesan terbaru"
        columns={shown}
        rows={messages ?? []}
        loading={messages === undefined}
        rowKey={({ id }) => id}
        view={{ page: 0 }}
        onView={() => undefined}
        totalPages={1}
        onOpen={(message) => {
          const campaign = standsFor(message);
          void (campaign
            ? navigate({ to: '/message-history/kiriman', search: { open: campaign.id } })
            : navigate({ to: '/message-history', search: { open: message.id } }));
        }}
      />
    </Panel>
  );
}
