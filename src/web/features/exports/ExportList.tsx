import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Download, Trash2, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatNumber } from '#contract/base/money.ts';
import { formatDateTime } from '#contract/base/time.ts';
import { cancelExport, type RowExport } from '#contract/exports.ts';
import { useAct } from '#web/api/query.ts';
import { useUser } from '#web/api/user.ts';
import styles from '#web/features/exports/exports.module.css';
import { classes } from '#web/ui/classes.ts';
import { exportsQuery } from '#web/features/exports/queries.ts';
import { useTokenNames } from '#web/features/exports/useTokenNames.ts';
import { exportTitle } from '#web/features/exports/words.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { AnchorButton, Button } from '#web/ui/button/Button.tsx';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { ListSkeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { fileSizeText } from '#web/ui/upload/fileSize.ts';
import { indonesianUploads } from '#web/ui/upload/uploadLabels.ts';

type Props = {
  /** The level of its heading: 3 in a dialog. */
  level?: 2 | 3;
  /** Instead of an empty list. */
  empty?: ReactNode;
};

/** The files of the last day, newest first. */
export function ExportList({ level = 3, empty = null }: Props) {
  const { data, error, refetch, isPending } = useQuery(exportsQuery);
  const client = useQueryClient();
  const cancel = useAct(cancelExport, { onSuccess: () => client.invalidateQueries(exportsQuery) });
  if (isPending) return <ListSkeleton />;
  if (error && !data) return <WentWrong query={{ error, refetch }} />;
  if (!data || data.exports.length === 0) return empty;
  const Heading = `h${level}` as const;
  return (
    <section className={classes('grid gap-8', styles['files'])} aria-label="Berkas 24 jam terakhir">
      <Heading className={styles['title']}>Berkas 24 jam terakhir</Heading>
      <RefusalAlert error={cancel.error} />
      <ul>
        {data.exports.map((one) => (
          <File key={one.id} file={one} onDelete={() => cancel.mutate({ export_id: one.id })} />
        ))}
      </ul>
    </section>
  );
}

type FileProps = { file: RowExport; onDelete: () => void };

function File({ file, onDelete }: FileProps) {
  const nameOfToken = useTokenNames();
  const zone = useUser().timezone;
  const title = exportTitle(file.of, nameOfToken);
  const isBeingMade = file.status === 'waiting' || file.status === 'working';
  const format = file.format.toUpperCase();
  const what = `${title}, ${format}, ${formatDateTime(file.created_at, zone)}`;
  return (
    <li className="row justify-between gap-12 py-10 border-t" aria-label={what}>
      <div className="grid gap-2 fill">
        <p className="strong break-anywhere">
          <bdi>{title}</bdi>
        </p>
        <p className="small faint leading-ui">
          {format} · {formatDateTime(file.created_at, zone)}
        </p>
        <State file={file} />
      </div>
      <div className="row gap-4 flex-none">
        {file.url !== null && (
          <AnchorButton
            href={file.url}
            download
            size="sm"
            variant="subtle"
            icon={<Download size={16} />}
          >
            Unduh
          </AnchorButton>
        )}
        <Button
          square
          size="sm"
          variant="link"
          tone="neutral"
          aria-label={isBeingMade ? `Batalkan: ${what}` : `Hapus: ${what}`}
          onClick={onDelete}
        >
          {isBeingMade ? <X size={16} /> : <Trash2 size={16} />}
        </Button>
      </div>
    </li>
  );
}

function State({ file: { status, progress, rows, size_bytes: size, url } }: { file: RowExport }) {
  switch (status) {
    case 'waiting':
    case 'working':
      return (
        <div className="row gap-12 small">
          <progress className="meter" aria-label="Pembuatan berkas" max={100} value={progress} />
          <span className="num">{progress}%</span>
        </div>
      );
    case 'ready':
      return (
        <p className="small faint leading-ui">
          {rows !== null && `${formatNumber(rows)} baris`}
          {size !== null && ` · ${fileSizeText(size, indonesianUploads.size)}`}
          {url === null && '. Hanya dapat diunduh di browser tempat Anda masuk.'}
        </p>
      );
    case 'empty':
      return (
        <p className="small faint leading-ui">Tidak ada yang cocok, jadi tidak ada berkasnya.</p>
      );
    case 'failed':
      return (
        <p className="small text-danger">Gagal dibuat. Data Anda utuh; coba buat sekali lagi.</p>
      );
  }
}
