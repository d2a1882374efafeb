import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { ARCHIVES_A_DAY, exportData, type ExportState } from '#contract/people.ts';
import { formatDateTime } from '#contract/base/time.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { useUser } from '#web/api/user.ts';
import styles from '#web/features/profile/profile.module.css';
import { classes } from '#web/ui/classes.ts';
import { exportQuery } from '#web/features/profile/queries.ts';
import { Section } from '#web/features/profile/Section.tsx';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { AnchorButton, Button } from '#web/ui/button/Button.tsx';
import { LimitedButton } from '#web/ui/button/LimitedButton.tsx';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { fileSizeText } from '#web/ui/upload/fileSize.ts';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { indonesianUploads } from '#web/ui/upload/uploadLabels.ts';

export function MyData() {
  const archive = useQuery(exportQuery);
  const client = useQueryClient();
  const start = useAct(exportData, {
    onSuccess: (made) => {
      client.setQueryData(exportQuery.queryKey, (known) => known && { ...known, export: made });
      void client.invalidateQueries(exportQuery);
    },
  });
  const state = archive.data?.export;
  const isFull = archive.data?.left_today === 0;
  const label = state ? 'Buat arsip baru' : 'Buat arsip data saya';
  const making = state?.status === 'waiting' || state?.status === 'working';
  return (
    <Section
      id="data"
      title="Data saya"
      about="Satu arsip ZIP berisi profil, pesan, percakapan, mutasi saldo, dan berkas Anda, dalam JSON dan CSV. Kunci API tidak ikut."
    >
      <RefusalAlert error={start.error} />
      {archive.isPending && <Skeleton height={40} />}
      {archive.isError && !archive.data && (
        <WentWrong message={sentenceOf(archive.error)} onRetry={() => void archive.refetch()} />
      )}
      {state && <Archive state={state} />}
      {!archive.isPending && !making && (
        <div>
          {isFull ? (
            <LimitedButton variant="outline" tone="neutral" reason={fullSentence}>
              {label}
            </LimitedButton>
          ) : (
            <Button
              variant="outline"
              tone="neutral"
              busy={start.busy}
              onClick={() => start.mutate({})}
            >
              {label}
            </Button>
          )}
        </div>
      )}
    </Section>
  );
}

const fullSentence = `Hari ini sudah ${ARCHIVES_A_DAY} arsip dibuat, batas untuk satu hari. Arsip baru dapat dibuat besok.`;

function Archive({ state }: { state: ExportState }) {
  const { timezone } = useUser();
  switch (state.status) {
    case 'waiting':
    case 'working':
      return <Making progress={state.progress} />;
    case 'ready':
      return <Ready state={state} timezone={timezone} />;
    case 'failed':
      return (
        <Alert visible state="danger" label="Arsip gagal dibuat. Data Anda utuh; coba buat lagi." />
      );
    case 'expired':
      return (
        <p className="small faint leading-ui">
          Arsip {formatDateTime(state.created_at, timezone)} sudah dihapus dari server.
        </p>
      );
  }
}

const Making = ({ progress }: { progress: number }) => (
  <div className="grid gap-8">
    <p role="status">Arsip sedang dibuat. Halaman ini boleh ditutup.</p>
    <div className="row gap-12">
      <progress className="meter" aria-label="Pembuatan arsip" max={100} value={progress} />
      <span className="num">{progress}%</span>
    </div>
  </div>
);

function Ready({ state, timezone }: { state: ExportState; timezone: string }) {
  const { url, size_bytes: size, created_at, expires_at } = state;
  return (
    <div className="row wrap justify-between gap-10 gap-x-16">
      <div>
        <p className={classes('strong num', styles['strong'])}>
          Arsip {formatDateTime(created_at, timezone)}
        </p>
        <p className="small faint leading-ui">
          {size !== null && `${fileSizeText(size, indonesianUploads.size)} · `}
          {expires_at !== null && `dapat diunduh sampai ${formatDateTime(expires_at, timezone)}`}
        </p>
      </div>
      {url !== null && (
        <AnchorButton href={url} download icon={<Download size={18} aria-hidden="true" />}>
          Unduh arsip
        </AnchorButton>
      )}
    </div>
  );
}
