import { useQuery, useQueryClient, skipToken } from '@tanstack/react-query';
import { CircleCheckBig, Download, Clock, Headset, Star } from 'lucide-react';
import { useEffect, useMemo, useRef, useState, type ReactNode, useId } from 'react';
import {
  closeSupport,
  readSupport,
  supportMessages,
  supportTranscript,
  typeSupport,
  type SupportThread,
  type SupportHours,
  type SupportCard,
  type SupportSubject,
  supportCard,
  type supportHelp,
  rateSupport,
} from '#contract/support.ts';
import { perform } from '#web/api/act.ts';
import { allTokensQuery, hasToken } from '#web/api/allTokens.ts';
import { useUser } from '#web/api/user.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { SupportChat } from '#web/features/support/chat/SupportChat.tsx';
import { closeSupportNotices } from '#web/features/support/notices.ts';
import type { SupportPort } from '#web/features/support/port.ts';
import { OWN, threadQuery, helpQuery } from '#web/features/support/queries.ts';
import split from '#web/ui/layout/layout.module.css';
import styles from '#web/features/support/support.module.css';
import { classes } from '#web/ui/classes.ts';
import { supportUnreadQuery } from '#web/features/support/unread.ts';
import { Button, LinkButton } from '#web/ui/button/Button.tsx';
import { saveFrom } from '#web/ui/copy/saveFile.ts';
import { PageHead } from '#web/ui/layout/PageHead.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { toast } from '#web/ui/toast/toasts.ts';
import { formatTime, WIB } from '#contract/base/time.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import type { SupportChatProps } from '#web/features/support/chat/SupportChat.tsx';
import type { OutputOf } from '#contract/base/act.ts';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { TextArea } from '#web/ui/text/TextField.tsx';

const NAME = 'Layanan Pelanggan';

/** Route `/customer-service`: one's own support thread. */
export function SupportPage() {
  const { data: thread } = useQuery(threadQuery);
  const port = useOwnPort(thread);
  const page = useRef<HTMLDivElement>(null);
  const about = useAbout();
  const [words, setWords] = useState('');
  useEffect(closeSupportNotices, [thread?.last_seq]);
  const helpFor = (when: 'first' | 'again') => (
    <QuickHelp
      when={when}
      onAsk={({ about: subject, title }) => {
        if (subject) about.choose(subject);
        else setWords(`${title}: `);
        page.current?.querySelector('textarea')?.focus();
      }}
    />
  );
  const isClosed = thread?.status === 'closed' && thread.last_seq > 0;
  return (
    <div ref={page} className={classes('column', split['full'], styles['page'])}>
      <PageHead
        title={NAME}
        context={thread && contextOf(thread)}
        tools={thread && thread.last_seq > 0 && <Tools thread={thread} />}
      />
      {thread && <Hours hours={thread.hours} />}
      <SupportChat
        port={port}
        name={thread?.operator ?? NAME}
        empty={helpFor('first')}
        foot={
          thread &&
          isClosed &&
          (thread.rating.due ? (
            <RatingCard />
          ) : (
            <p className="small faint text-center">
              Tulis lagi kapan saja untuk membukanya kembali.
            </p>
          ))
        }
        above={isClosed && !thread.rating.due && helpFor('again')}
        about={about.shown}
        composer={{ placeholder: 'Tulis pertanyaan', text: words }}
      />
    </div>
  );
}

function useOwnPort(thread: SupportThread | undefined): SupportPort {
  const client = useQueryClient();
  // A suspended account may ask for nothing but customer service.
  const { suspension } = useUser();
  const { data: tokens } = useQuery({ ...allTokensQuery, enabled: !suspension });
  return useMemo(
    () => ({
      key: OWN,
      side: 'customer',
      thread,
      messages: (start, signal) => perform(supportMessages, { start }, { signal }),
      read: async (seq) => {
        const after = await perform(readSupport, { seq });
        client.setQueryData(threadQuery.queryKey, after);
        client.setQueryData(supportUnreadQuery.queryKey, { total: after.unread });
      },
      typing: () => perform(typeSupport, {}),
      hrefOf: (card) =>
        card.type === 'token' && !hasToken(tokens, card.id) ? undefined : addressOf(card),
    }),
    [client, thread, tokens],
  );
}

/** Operator and usual response time; outside the support hours `Hours` shows the next opening. */
function contextOf({ operator, hours, usual_answer_seconds: seconds }: SupportThread): ReactNode {
  if (!operator && !hours.open_now) return undefined;
  return (
    <>
      {operator && (
        <>
          <bdi>{operator}</bdi> menangani pertanyaan Anda.{' '}
        </>
      )}
      {hours.open_now &&
        (seconds === null
          ? 'Kami balas secepatnya.'
          : `Biasanya dibalas dalam ${usualAnswer(seconds)}.`)}
    </>
  );
}

function Tools({ thread }: { thread: SupportThread }) {
  const client = useQueryClient();
  const close = useAct(closeSupport);
  const [saving, setSaving] = useState(false);
  const save = async () => {
    setSaving(true);
    try {
      saveFrom((await perform(supportTranscript, {})).url, 'layanan-pelanggan.txt');
    } catch (error) {
      toast(sentenceOf(error), { tone: 'danger' });
    } finally {
      setSaving(false);
    }
  };
  const ask = () =>
    confirm({
      title: 'Tutup percakapan?',
      children: <p>Pertanyaan Anda sudah terjawab. Menulis lagi membukanya kembali.</p>,
      tone: 'primary',
      cancelText: 'Kembali',
      confirmText: 'Tutup percakapan',
      onConfirm: async () => {
        client.setQueryData(threadQuery.queryKey, await close.perform({}));
        void client.invalidateQueries({ queryKey: ['support'] });
      },
    });
  return (
    <>
      <Button
        variant="outline"
        icon={<Download size={18} />}
        busy={saving}
        onClick={() => void save()}
      >
        Unduh transkrip
      </Button>
      {thread.status !== 'closed' && (
        <Button variant="outline" icon={<CircleCheckBig size={18} />} onClick={() => void ask()}>
          Tutup percakapan
        </Button>
      )}
    </>
  );
}

/** The support hours; outside of them, the next opening, and that messages wait until then. */
function Hours({ hours }: { hours: SupportHours }) {
  const { open_now: open, opens_at: opensAt, lines, note } = hours;
  const times = lines.join(' · ');
  if (open && note === '' && times === '') return null;
  return (
    <p
      className={classes('flex gap-8 mb-12 small faint leading-ui', styles['hours'])}
      data-closed={!open || undefined}
      data-note={note !== '' || undefined}
    >
      <Clock size={16} className="mt-2" />
      <span>
        {open
          ? `Jam layanan: ${times}.`
          : opensAt
            ? `Kami sedang tutup dan buka lagi ${dayAndTime(opensAt)}. Pesan Anda tersimpan dan dibalas setelah itu.`
            : 'Kami sedang tutup. Pesan Anda tersimpan dan dibalas setelah kami buka lagi.'}
        {!open && times && ` Jam layanan: ${times}.`}
        {note && ` ${note}`}
      </span>
    </p>
  );
}

const weekday = new Intl.DateTimeFormat('id-ID', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  timeZone: WIB,
});

/** `Senin, 23 November pukul 08.00 WIB` */
const dayAndTime = (at: Date): string => `${weekday.format(at)} pukul ${formatTime(at, WIB)} WIB`;

/** The usual time to an answer, in words: `5 menit`. */
function usualAnswer(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  if (minutes <= 1) return 'satu menit';
  // Rounded, so that it is not taken for a promise.
  if (minutes < 10) return `${minutes} menit`;
  if (minutes < 60) return `${Math.ceil(minutes / 5) * 5} menit`;
  const hours = Math.ceil(minutes / 60);
  return hours < 24 ? `${hours} jam` : `${Math.ceil(hours / 24)} hari`;
}

const pages: Record<SupportSubject, string> = {
  message: '/message-history',
  token: '/token',
  topup: '/saldo',
  invoice: '/billing',
};

const addressOf = ({ type, id }: Pick<SupportCard, 'type' | 'id'>): string =>
  `${pages[type]}?${new URLSearchParams({ open: id })}`;

type Subject = { type: SupportSubject; id: string };

function useAbout(): {
  shown: SupportChatProps['about'];
  choose: (subject: Subject) => void;
} {
  const { about: type, id } = useSearch('/customer-service');
  const input = type && id ? { about_type: type, about_id: id } : undefined;
  const { data: card } = useQuery({
    queryKey: ['support', 'card', input],
    queryFn: input ? ({ signal }) => perform(supportCard, input, { signal }) : skipToken,
  });
  const leave = () => void navigate({ to: '/customer-service', replace: true, resetScroll: false });
  return {
    shown: card ? { card, onRemove: leave, onSent: leave } : undefined,
    choose: (subject) =>
      void navigate({
        to: '/customer-service',
        search: { about: subject.type, id: subject.id },
        replace: true,
        resetScroll: false,
      }),
  };
}

type Cause = OutputOf<typeof supportHelp>['causes'][number];

type Props = {
  /** Before the very first question, or above the box of a closed thread. */
  when: 'first' | 'again';
  onAsk: (cause: Cause) => void;
};

/** Probable causes before the first question, each with an answer and a link to the remedy. */
function QuickHelp({ when, onAsk }: Props) {
  const { data, isPending } = useQuery(helpQuery);
  const isRepeat = when === 'again';
  if (isRepeat && !data?.causes.length) return null;
  if (isPending) {
    return (
      <div className={classes('grid gap-12', styles['help'])} aria-busy="true">
        <Skeleton height={96} />
        <Skeleton height={96} />
      </div>
    );
  }
  // If causes cannot be loaded, a question can still be asked.
  if (!data || data.causes.length === 0) {
    return (
      <div className="place-center grow">
        <EmptyState icon={<Headset size={24} />} title="Ada yang bisa kami bantu?">
          Tulis pertanyaan Anda di bawah. Kami dapat memeriksa pesan, token, isi saldo, dan tagihan
          Anda; sertakan gambar bila perlu.
        </EmptyState>
      </div>
    );
  }
  return (
    <section
      className={classes(
        'grid gap-12',
        styles['help'],
        isRepeat && classes('flex-none border-t surface overflow-y', styles['again']),
      )}
      aria-label="Bantuan cepat"
    >
      <h2 className="large">Mungkin ini yang Anda cari</h2>
      <ul className="grid gap-10">
        {data.causes.map((cause) => (
          <li key={cause.cause} className="grid gap-6 card py-12 px-16">
            <h3 className="large">
              <bdi>{cause.title}</bdi>
            </h3>
            <p className="muted">{cause.answer}</p>
            <span className="row wrap gap-4 gap-x-12 mt-4">
              <LinkButton size="sm" variant="subtle" href={cause.href}>
                {cause.action}
              </LinkButton>
              <Button size="sm" variant="link" tone="neutral" onClick={() => onAsk(cause)}>
                Masih perlu bantuan
              </Button>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const COMMENT_MAX = 1_000;
const scores = [
  [1, 'Sangat buruk'],
  [2, 'Buruk'],
  [3, 'Cukup'],
  [4, 'Baik'],
  [5, 'Sangat baik'],
] as const;

function RatingCard() {
  const client = useQueryClient();
  const id = useId();
  const [score, setScore] = useState<number>();
  const [comment, setComment] = useState('');
  const rate = useAct(rateSupport, {
    onSuccess: (after) => {
      client.setQueryData(threadQuery.queryKey, after);
      void client.invalidateQueries({ queryKey: ['support'] });
    },
  });
  const word = scores.find(([value]) => value === score)?.[1];
  return (
    <form
      className={classes('stack gap-12 card p-16', styles['ratingCardCard'])}
      aria-labelledby={id}
      onSubmit={(event) => {
        event.preventDefault();
        if (score !== undefined) rate.mutate({ score, comment: comment.trim() || undefined });
      }}
    >
      <fieldset className="grid justify-items-center gap-8">
        <legend id={id} className="mx-auto strong">
          Bagaimana bantuan kami?
        </legend>
        <Stars name={id} score={score} onScore={setScore} />
        <span className="small faint" aria-hidden="true">
          {word ?? 'Pilih satu sampai lima bintang'}
        </span>
      </fieldset>
      {score !== undefined && (
        <>
          <RefusalAlert error={rate.error} />
          <TextArea
            label="Ada yang ingin disampaikan? (boleh kosong)"
            rows={2}
            maxLength={COMMENT_MAX}
            value={comment}
            onChange={(event) => setComment(event.target.value)}
          />
          <Button type="submit" busy={rate.busy} className="mx-auto">
            Kirim penilaian
          </Button>
        </>
      )}
    </form>
  );
}

type StarsProps = {
  name: string;
  score: number | undefined;
  onScore: (score: number) => void;
};

const Stars = ({ name, score, onScore }: StarsProps) => (
  <span className="flex">
    {scores.map(([value, word]) => (
      <label
        key={value}
        className={classes(
          'place-center pointer rounded relative ring-within',
          value <= (score ?? 0) ? 'text-warning' : 'faint',
          classes('size-48', styles['star']),
        )}
        data-on={value <= (score ?? 0) || undefined}
      >
        <input
          className="cover"
          type="radio"
          name={name}
          value={value}
          checked={score === value}
          aria-label={`${value} dari 5, ${word}`}
          onChange={() => onScore(value)}
        />
        <Star size={28} />
      </label>
    ))}
  </span>
);
