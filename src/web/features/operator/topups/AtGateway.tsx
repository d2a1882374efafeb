import { isolated } from '#contract/base/names.ts';
import { useQueryClient } from '@tanstack/react-query';
import {
  checkTopupAtGateway,
  type OperatorTopup,
  operatorTopups,
  rejectTopup,
} from '#contract/operator/payments.ts';
import { topupStatusLabel } from '#contract/saldo.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import styles from '#web/features/operator/form/form.module.css';
import { OperatorForm } from '#web/features/operator/form/OperatorForm.tsx';
import { useOperatorForm } from '#web/features/operator/form/useOperatorForm.tsx';
import { paymentMethodLabels } from '#web/features/operator/form/paymentMethodLabels.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { listKey } from '#web/ui/table/list/useList.ts';
import { toast } from '#web/ui/toast/toasts.ts';

type Props = {
  topup: OperatorTopup;
  provider: string;
  onDecided: (topup: OperatorTopup) => void;
};

/** An order, whose gateway alone decides whether it is paid: it can be queried or given up. */
export function AtGateway({ topup, provider, onDecided }: Props) {
  const client = useQueryClient();
  const asking = useAct(checkTopupAtGateway);
  const ask = async () => {
    const after = await asking.perform({ topup_id: topup.id });
    toast(`Gerbang sudah ditanya: ${topupStatusLabel[after.status].toLowerCase()}.`, {
      tone: after.status === topup.status ? 'info' : 'success',
    });
    onDecided(after);
    void client.invalidateQueries({ queryKey: listKey(operatorTopups) });
  };
  return (
    <div className={styles['form']}>
      <p className={styles['note']}>{adviceOf(topup, paymentMethodLabels[provider] ?? provider)}</p>
      <Alert
        state="danger"
        visible={asking.error !== null}
        label={asking.error ? sentenceOf(asking.error) : ''}
      />
      {topup.status !== 'creating' && (
        <div className={styles['actions']}>
          <Button
            variant="outline"
            busy={asking.busy}
            onClick={() => void ask().catch(() => undefined)}
          >
            Tanya gerbang lagi
          </Button>
        </div>
      )}
      {topup.status === 'review' && <Reject topup={topup} onDecided={onDecided} />}
    </div>
  );
}

function adviceOf({ status }: OperatorTopup, gateway: string): string {
  switch (status) {
    case 'creating':
    case 'pending':
      return `Tidak ada yang perlu dilakukan: saldo bertambah otomatis begitu ${gateway} menyatakan pesanan ini lunas.`;
    case 'review':
      return `${gateway} menerima jumlah yang berbeda, atau masih memeriksa pembayarannya. Lihat di dasbor ${gateway}, lalu tanyakan lagi. Bila isi saldo ini ditolak, uang yang diterima ${gateway} masuk ke Dana belum dikenali.`;
    case 'expired':
    case 'cancelled':
      return `Bila pembayarannya terlambat masuk, saldo tetap bertambah setelah ${gateway} menyatakannya lunas.`;
    case 'rejected':
      return `Uang yang masih diterima ${gateway} untuk isi saldo ini masuk ke Dana belum dikenali.`;
    case 'paid':
      return `${gateway} menyatakan pesanan ini lunas.`;
  }
}

function Reject({ topup, onDecided }: Omit<Props, 'provider'>) {
  const { form, onSubmit } = useOperatorForm(rejectTopup, {
    initial: { reason: '' },
    inputOf: ({ reason }) => ({ topup_id: topup.id, reason }),
    question: () => ({
      title: 'Tolak isi saldo ini?',
      text: `${isolated(topup.account_name)} membaca alasan Anda. Saldonya tidak bertambah.`,
      button: 'Tolak',
      tone: 'danger',
    }),
    said: () => 'Isi saldo ditolak.',
    onDone: onDecided,
  });
  return (
    <OperatorForm
      form={form}
      onSubmit={onSubmit}
      reasonHelp="Tercatat bersama nama Anda; pelanggan membacanya."
      actions={
        <Button type="submit" variant="outline" tone="danger">
          Tolak
        </Button>
      }
    />
  );
}
