import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { PAGE_SIZE } from '#contract/base/act.ts';
import { formatNumber } from '#contract/base/money.ts';
import { civilDate } from '#contract/base/time.ts';
import { listDeliveries, REPLAY_MAX, replayDeliveries, type Webhook } from '#contract/webhooks.ts';
import { perform } from '#web/api/act.ts';
import { useAct } from '#web/api/query.ts';
import type { Filters } from '#web/features/webhooks/deliveries/filters.ts';
import { useWebhookChanged } from '#web/features/webhooks/queries.ts';
import styles from '#web/features/webhooks/webhooks.module.css';
import { classes } from '#web/ui/classes.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { DatePicker } from '#web/ui/date/DatePicker.tsx';
import { dateWords, type DateRange } from '#web/ui/date/dates.ts';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { Select } from '#web/ui/select/Select.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

type Which = 'parked' | 'all';

const whichOptions = [
  { value: 'parked', label: 'Hanya yang dihentikan' },
  { value: 'all', label: 'Semua, juga yang sudah terkirim' },
];

type Period = DateRange & { which: Which };

/** The number of deliveries to replay: exact up to a page, beyond that only that there are more. */
function useCount(tokenId: string, { from, to, which }: Period): number | undefined {
  const { data } = useQuery({
    queryKey: [listDeliveries.name, 'count', { tokenId, from, to, which }],
    enabled: which === 'parked',
    queryFn: async ({ signal }) => {
      const input = { token_id: tokenId, page: 1, start: 0, state: 'parked', from, to } as const;
      const { rows, count } = await perform(listDeliveries, input, { signal });
      return Math.max(rows.length, count);
    },
  });
  return data;
}

function wordsFor(which: Which, count: number | undefined): string {
  const most = `Paling banyak ${formatNumber(REPLAY_MAX)} sekaligus.`;
  if (which === 'all') {
    return `Semua peristiwa pada hari-hari itu dikirim sekali lagi dengan webhook-id yang sama: server Anda harus mengenali yang sudah diterima. ${most}`;
  }
  if (count === undefined) return 'Menghitung…';
  if (count === 0) return 'Tidak ada yang dihentikan pada hari-hari itu.';
  const many = count < PAGE_SIZE ? `${count} pengiriman` : `${PAGE_SIZE} pengiriman atau lebih`;
  return `${many} akan dikirim ulang, berurutan per percakapan. ${most}`;
}

type Props = {
  webhook: Webhook;
  /** The list's filters: their period is proposed. */
  filters: Filters;
  onClose: () => void;
};

/** Replays the deliveries of a period, after stating which and, if known, how many. */
export function ReplayDialog({ webhook, filters, onClose }: Props) {
  const [today] = useState(() => civilDate(new Date()));
  const [period, setPeriod] = useState<Period>({
    from: filters.from ?? today,
    to: filters.to ?? today,
    which: 'parked',
  });
  const count = useCount(webhook.token_id, period);
  const changed = useWebhookChanged(webhook.token_id);
  const replay = useAct(replayDeliveries, {
    onSuccess: ({ replayed, more }) => {
      changed();
      onClose();
      const words = `${formatNumber(replayed)} peristiwa dikirim ulang.`;
      toast(more ? `${words} Ulangi untuk sisanya.` : words, { tone: 'success' });
    },
  });
  return (
    <Modal
      open
      onClose={onClose}
      title="Kirim ulang pengiriman"
      size="sm"
      footer={
        <>
          <Button variant="outline" tone="neutral" onClick={onClose}>
            Batal
          </Button>
          <Button
            busy={replay.busy}
            onClick={() => replay.mutate({ token_id: webhook.token_id, ...period })}
          >
            Kirim ulang
          </Button>
        </>
      }
    >
      <div className={classes('stack gap-18', styles['form'])}>
        <RefusalAlert error={replay.error} />
        <DatePicker
          label="Hari peristiwa (WIB)"
          labels={dateWords}
          required
          max={today}
          value={{ from: period.from, to: period.to }}
          onChange={(range) => range && setPeriod({ ...period, ...range })}
        />
        <Select
          label="Yang mana"
          options={whichOptions}
          value={period.which}
          onChange={({ target }) =>
            setPeriod({ ...period, which: target.value === 'all' ? 'all' : 'parked' })
          }
        />
        <p className="measure muted" aria-live="polite">
          {wordsFor(period.which, count)}
        </p>
      </div>
    </Modal>
  );
}
