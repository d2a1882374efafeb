import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CircleCheckBig, Download, Clock } from 'lucide-react';
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import {
  closeSupport,
  readSupport,
  supportMessages,
  supportTranscript,
  typeSupport,
  type SupportThread,
  type SupportHours,
} from '#contract/support.ts';
import { perform } from '#web/api/act.ts';
import { allTokensQuery } from '#web/api/allTokens.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { useAbout } from '#web/features/support/about/useAbout.ts';
import { addressOf } from '#web/features/support/about/addressOf.ts';
import { SupportChat } from '#web/features/support/chat/SupportChat.tsx';
import { QuickHelp } from '#web/features/support/help/QuickHelp.tsx';
import { closeSupportNotices } from '#web/features/support/notices.ts';
import type { SupportPort } from '#web/features/support/port.ts';
import { OWN, sendOwn, threadQuery } from '#web/features/support/queries.ts';
import { RatingCard } from '#web/features/support/rating/RatingCard.tsx';
import styles from '#web/features/support/support.module.css';
import { classes } from '#web/ui/classes.ts';
import { supportUnreadQuery } from '#web/features/support/unread.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { saveFrom } from '#web/ui/copy/saveFile.ts';
import { PageHead } from '#web/ui/layout/PageHead.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { toast } from '#web/ui/toast/toasts.ts';
import { formatTime, WIB } from '#contract/base/time.ts';

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
    <div ref={page} className={classes('column', styles['page'])}>
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
  const { data: tokens } = useQuery(allTokensQuery);
  return useMemo(
    () => ({
      key: OWN,
      side: 'customer',
      thread,
      messages: (start, signal) => perform(supportMessages, { start }, { signal }),
      send: sendOwn,
      read: async (seq) => {
        const after = await perform(readSupport, { seq });
        client.setQueryData(threadQuery.queryKey, after);
        client.setQueryData(supportUnreadQuery.queryKey, { total: after.unread });
      },
      typing: () => perform(typeSupport, {}),
      hrefOf: (card) =>
        card.type === 'token' && tokens?.every(({ id }) => id !== card.id)
          ? undefined
          : addressOf(card),
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
      sentenceOf,
      onConfirm: async () => {
        client.setQueryData(threadQuery.queryKey, await close.perform({}));
        void client.invalidateQueries({ queryKey: ['support'] });
      },
    });
  return (
    <>
      <Button
        variant="outline"
        tone="neutral"
        icon={<Download size={18} aria-hidden="true" />}
        busy={saving}
        onClick={() => void save()}
      >
        Unduh transkrip
      </Button>
      {thread.status !== 'closed' && (
        <Button
          variant="outline"
          tone="neutral"
          icon={<CircleCheckBig size={18} aria-hidden="true" />}
          onClick={() => void ask()}
        >
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
      <Clock size={16} className="mt-2" aria-hidden="true" />
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
