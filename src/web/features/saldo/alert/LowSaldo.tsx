import { useQuery, useQueryClient, queryOptions } from '@tanstack/react-query';
import { BellRing } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { formatRupiah } from '#contract/base/money.ts';
import { ALERT_MIN, type SaldoAlert, saveSaldoAlert, getSaldoAlert } from '#contract/saldo.ts';
import { useAct } from '#web/api/query.ts';
import { saldoQuery } from '#web/features/saldo/saldoQuery.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { useActForm } from '#web/ui/form/useActForm.ts';
import { AmountField } from '#web/ui/money/CurrencyField.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';
import { toast } from '#web/ui/toast/toasts.ts';
import { perform } from '#web/api/act.ts';

export function LowSaldo() {
  const alert = useQuery(alertQuery);
  const [editing, setEditing] = useState(false);
  const content = useRef<HTMLDivElement>(null);
  const before = useRef(editing);
  useEffect(() => {
    if (before.current === editing) return;
    before.current = editing;
    // The focused element is gone: focus the field, and afterwards the button that opens it.
    content.current?.querySelector<HTMLElement>(editing ? 'input' : 'button')?.focus();
  }, [editing]);
  return (
    <Panel title="Peringatan saldo rendah" look="card">
      {!alert.data && alert.error && <WentWrong query={alert} />}
      {alert.isPending && (
        <div aria-busy="true">
          <Skeleton lines={3} />
        </div>
      )}
      <div ref={content}>
        {alert.data &&
          (editing ? (
            <ThresholdForm alert={alert.data} onClose={() => setEditing(false)} />
          ) : (
            <CurrentAlert alert={alert.data} onEdit={() => setEditing(true)} />
          ))}
      </div>
    </Panel>
  );
}

function useSaved(): (alert: SaldoAlert, words: string) => void {
  const client = useQueryClient();
  return (alert, words) => {
    client.setQueryData(alertQuery.queryKey, alert);
    void client.invalidateQueries({ queryKey: saldoQuery.queryKey });
    toast(words, { tone: 'success' });
  };
}

function CurrentAlert({ alert, onEdit }: { alert: SaldoAlert; onEdit: () => void }) {
  const { threshold, fired_at: firedAt } = alert;
  const saved = useSaved();
  const off = useAct(saveSaldoAlert, {
    onSuccess: (after) => saved(after, 'Peringatan saldo dimatikan.'),
  });
  if (threshold === null) {
    return (
      <div className="stack gap-12">
        <p className="muted pretty">
          Kami beri tahu sebelum saldo habis, supaya pesan Anda tidak berhenti di tengah jalan.
        </p>
        <div className="flex wrap gap-8">
          <Button variant="subtle" icon={<BellRing size={18} />} onClick={onEdit}>
            Atur peringatan
          </Button>
        </div>
      </div>
    );
  }
  return (
    <div className="stack gap-12">
      <p className="muted pretty">
        Anda diberi tahu saat saldo turun di bawah{' '}
        <strong>
          <Money amount={threshold} />
        </strong>
        : di halaman ini, lewat pemberitahuan browser, dan lewat pesan.
      </p>
      {firedAt && (
        <p className="small faint">
          Terakhir diberi tahu <DateTime at={firedAt} />
        </p>
      )}
      <RefusalAlert error={off.error} />
      <div className="flex wrap gap-8">
        <Button variant="subtle" onClick={onEdit}>
          Ubah batas
        </Button>
        <Button variant="subtle" tone="neutral" busy={off.busy} onClick={() => off.mutate({})}>
          Matikan
        </Button>
      </div>
    </div>
  );
}

const PRESETS = [50_000, 100_000, 250_000] as const;

function ThresholdForm({ alert, onClose }: { alert: SaldoAlert; onClose: () => void }) {
  const saved = useSaved();
  const { form, onSubmit, busy, error } = useActForm(saveSaldoAlert, {
    initial: { threshold: alert.threshold === null ? '' : String(alert.threshold) },
    inputOf: (values) => values,
    onDone: (after) => {
      saved(after, 'Batas peringatan saldo disimpan.');
      onClose();
    },
  });
  return (
    <form ref={form.ref} noValidate className="stack gap-12" onSubmit={onSubmit}>
      <RefusalAlert error={error} fields={['threshold']} />
      <AmountField
        label="Beri tahu di bawah"
        required
        step={10_000}
        indonesianSuffixes
        help={`Minimal ${formatRupiah(ALERT_MIN)}. Anda diberi tahu paling sering sekali dalam 6 jam.`}
        quick={PRESETS}
        {...form.field('threshold')}
      />
      <div className="flex wrap gap-8">
        <Button type="submit" busy={busy}>
          Simpan
        </Button>
        <Button variant="subtle" tone="neutral" onClick={onClose}>
          Batal
        </Button>
      </div>
    </form>
  );
}

const alertQuery = queryOptions({
  queryKey: ['alert'],
  queryFn: ({ signal }) => perform(getSaldoAlert, {}, { signal }),
});
