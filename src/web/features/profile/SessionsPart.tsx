import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Monitor, Smartphone } from 'lucide-react';
import { useState } from 'react';
import { revokeSessions, type SessionRow } from '#contract/people.ts';
import { formatAgo, formatDateTime } from '#contract/base/time.ts';
import { refusalCode, sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { useUser } from '#web/api/user.ts';
import styles from '#web/features/profile/profile.module.css';
import { classes } from '#web/ui/classes.ts';
import { sessionsQuery } from '#web/features/profile/queries.ts';
import { Section } from '#web/features/profile/Section.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { ListSkeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

export function SessionsPart() {
  const sessions = useQuery(sessionsQuery);
  const others = sessions.data?.filter(({ current }) => !current).length ?? 0;
  return (
    <Section
      id="sesi"
      title="Sesi"
      about="Browser yang sedang masuk ke akun Anda. Sesi berakhir otomatis setelah 7 hari tidak dipakai."
    >
      <Rows sessions={sessions.data} error={sessions.error} retry={() => void sessions.refetch()} />
      {others > 1 && <EndOthers count={others} />}
    </Section>
  );
}

type RowsProps = {
  sessions: readonly SessionRow[] | undefined;
  error: Error | null;
  retry: () => void;
};

function Rows({ sessions, error, retry }: RowsProps) {
  if (sessions) {
    return (
      <ul className="stack gap-2" aria-label="Sesi Anda">
        {sessions.map((session) => (
          <Row key={session.id} session={session} />
        ))}
      </ul>
    );
  }
  if (error) return <WentWrong message={sentenceOf(error)} onRetry={retry} />;
  return <ListSkeleton rows={2} />;
}

const isPhone = (device: string): boolean => /Android|iPhone|iPad/.test(device);

function Row({ session }: { session: SessionRow }) {
  const { timezone } = useUser();
  const client = useQueryClient();
  const revoke = useAct(revokeSessions);
  const [failure, setFailure] = useState<string>();
  const { id, device, ip, current, created_at, last_used_at } = session;
  const Icon = isPhone(device) ? Smartphone : Monitor;
  const gone = () => {
    client.setQueryData(sessionsQuery.queryKey, (before) => before?.filter((one) => one.id !== id));
    void client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
  };
  const end = async () => {
    setFailure(undefined);
    try {
      await revoke.perform({ session_id: id });
      toast(`Sesi ${device} diakhiri.`, { tone: 'success' });
      gone();
    } catch (no) {
      // It has expired, or was ended in another tab.
      if (refusalCode(no) === 'not_found') gone();
      else setFailure(sentenceOf(no));
    }
  };
  return (
    <li
      className={classes('grid align-center gap-4 gap-x-14 py-12 border-b', styles['session'])}
      data-busy={revoke.busy || undefined}
    >
      <Icon size={22} className={styles['icon']} aria-hidden="true" />
      <div className={classes('grid gap-2 break-anywhere', styles['facts'])}>
        <p className={classes('strong num', styles['strong'])}>
          {device} {current && <StatusChip tone="success">Sesi ini</StatusChip>}
        </p>
        <p className="small faint leading-ui">
          {current ? 'Sedang dipakai' : `Dipakai ${formatAgo(last_used_at, undefined, timezone)}`} ·{' '}
          <span className="num">{ip}</span>
        </p>
        <p className="small faint leading-ui">Masuk {formatDateTime(created_at, timezone)}</p>
        {failure && (
          <p className="small text-danger" role="alert">
            {failure}
          </p>
        )}
      </div>
      {!current && (
        <Button
          size="sm"
          variant="outline"
          tone="neutral"
          busy={revoke.busy}
          aria-label={`Akhiri sesi ${device} dari ${ip}`}
          onClick={() => void end()}
        >
          Akhiri
        </Button>
      )}
    </li>
  );
}

function EndOthers({ count }: { count: number }) {
  const client = useQueryClient();
  const revoke = useAct(revokeSessions);
  const ask = () =>
    confirm({
      title: 'Akhiri semua sesi lain?',
      children: <p>{count} browser lain keluar dari akun Anda. Sesi ini tetap masuk.</p>,
      cancelText: 'Batal',
      confirmText: 'Akhiri semua',
      sentenceOf,
      onConfirm: async () => {
        const { ended } = await revoke.perform({ others: '1' });
        client.setQueryData(sessionsQuery.queryKey, (before) =>
          before?.filter(({ current }) => current),
        );
        void client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
        toast(`${ended} sesi lain diakhiri.`, { tone: 'success' });
      },
    });
  return (
    <div>
      <Button variant="outline" tone="danger" onClick={() => void ask()}>
        Akhiri semua sesi lain
      </Button>
    </div>
  );
}
