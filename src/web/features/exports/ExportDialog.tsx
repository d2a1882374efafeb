import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { formatNumber } from '#contract/base/money.ts';
import {
  exportCampaign,
  exportMessages,
  EXPORTS_A_DAY,
  type ExportFormat,
  type RowExport,
} from '#contract/exports.ts';
import { PasswordQuestion } from '#web/features/auth/auth.ts';
import { useAct } from '#web/api/query.ts';
import { ExportList } from '#web/features/exports/ExportList.tsx';
import { exportsQuery } from '#web/features/exports/queries.ts';
import type { ToExport } from '#web/features/exports/toExport.ts';
import { useTokenNames } from '#web/features/exports/useTokenNames.ts';
import { filterWords } from '#web/features/exports/words.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { ChoiceCards, type Choice } from '#web/ui/choice/ChoiceCards.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { Stack } from '#web/ui/panel/Panel.tsx';

type Props = { what: ToExport; onClose: () => void };

const formats: readonly Choice<ExportFormat>[] = [
  {
    value: 'xlsx',
    title: 'Excel (XLSX)',
    children: 'Untuk dibuka di Excel atau Google Sheets: tanggal dan angka siap dihitung.',
  },
  { value: 'csv', title: 'CSV', children: 'Teks biasa, untuk program lain.' },
];

/**
 * Requests a file of rows, and lists those of the last day. The file is made in the background: the dialog and the tab
 * may be closed.
 */
export function ExportDialog({ what, onClose }: Props) {
  const [format, setFormat] = useState<ExportFormat>('xlsx');
  const client = useQueryClient();
  const isFull = useQuery(exportsQuery).data?.left_today === 0;
  const onSuccess = (made: RowExport) => {
    client.setQueryData(
      exportsQuery.queryKey,
      (known) =>
        known && { ...known, exports: [made, ...known.exports.filter(({ id }) => id !== made.id)] },
    );
    void client.invalidateQueries(exportsQuery);
  };
  const messages = useAct(exportMessages, { onSuccess });
  const campaign = useAct(exportCampaign, { onSuccess });
  const act = what.kind === 'campaign' ? campaign : messages;
  const form = useId();
  const limit = useId();
  const start = (event: FormEvent) => {
    event.preventDefault();
    if (act.busy) return;
    if (what.kind === 'campaign') campaign.mutate({ campaign_id: what.campaignId, format });
    else messages.mutate({ ...what.input, format });
  };
  return (
    <Modal
      open
      onClose={onClose}
      title={titleOf(what)}
      footer={
        <>
          <Button variant="outline" onClick={onClose}>
            Tutup
          </Button>
          <Button
            type="submit"
            form={form}
            busy={act.busy}
            disabled={isFull}
            aria-describedby={isFull ? limit : undefined}
          >
            Buat berkas
          </Button>
        </>
      }
    >
      <Stack gap={24}>
        {isFull ? (
          <Alert id={limit} state="info" visible label={fullSentence} />
        ) : (
          <form id={form} noValidate onSubmit={start}>
            <Stack gap={16}>
              <About what={what} />
              <RefusalAlert error={act.error} />
              <ChoiceCards
                legend="Format berkas"
                name="format"
                choices={formats}
                value={format}
                onChange={setFormat}
              />
              <PasswordQuestion of={what.kind === 'campaign' ? exportCampaign : exportMessages} />
            </Stack>
          </form>
        )}
        <ExportList />
      </Stack>
    </Modal>
  );
}

const fullSentence = `Hari ini sudah ${EXPORTS_A_DAY} berkas dibuat, batas untuk satu hari. Berkas baru dapat dibuat besok.`;

function titleOf(what: ToExport): string {
  if (what.kind === 'campaign') return 'Unduh hasil kiriman';
  const selectedCount = what.input.message_ids?.length;
  return selectedCount === undefined
    ? 'Ekspor pesan'
    : `Ekspor ${formatNumber(selectedCount)} pesan pilihan`;
}

function About({ what }: { what: ToExport }) {
  const nameOfToken = useTokenNames();
  if (what.kind === 'campaign') {
    return (
      <p>Semua penerima dari daftar Anda, juga yang tidak dikirimi, beserta status pesannya.</p>
    );
  }
  const { input, count } = what;
  if (input.message_ids !== undefined)
    return <p>Hanya pesan yang Anda pilih, dengan isi lengkapnya.</p>;
  const words = filterWords(input, nameOfToken);
  return (
    <p>
      {words === '' ? (
        'Semua pesan Anda'
      ) : (
        <>
          Semua pesan yang disaring: <strong>{words}</strong>
        </>
      )}
      {count !== undefined && `, paling banyak ${formatNumber(count)} pesan`}. Pesan yang masuk
      sesudah ini tidak ikut.
    </p>
  );
}
