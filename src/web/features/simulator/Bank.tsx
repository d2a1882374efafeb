import { useState } from 'react';
import { formatRupiah } from '#contract/base/money.ts';
import { simulatedTransfer } from '#contract/simulator.ts';
import { formatTime } from '#contract/base/time.ts';
import type { OutputOf } from '#contract/base/act.ts';
import { fieldsOf, sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { useForm } from '#web/ui/form/useForm.ts';
import { fieldErrors } from '#web/ui/form/fieldErrors.ts';
import styles from '#web/features/simulator/simulator.module.css';
import { classes } from '#web/ui/classes.ts';
import { Gateway } from '#web/features/simulator/Gateway.tsx';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { CurrencyField } from '#web/ui/money/CurrencyField.tsx';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';

type Transfer = OutputOf<typeof simulatedTransfer> & { sender: string; at: Date };

export function Bank({ amount }: { amount: number | undefined }) {
  const [transfers, setTransfers] = useState<readonly Transfer[]>([]);
  return (
    <div className={classes('stack gap-32', styles['bank'])}>
      <Panel title="Kirim transfer" look="card">
        <TransferForm
          initialAmount={amount}
          onDone={(done) => setTransfers((before) => [done, ...before])}
        />
      </Panel>
      <div className="stack gap-32">
        <Gateway />
        <Panel title="Transfer tadi">
          <p role="status" className="sr-only">
            {transfers[0] && transferResult(transfers[0])}
          </p>
          {transfers.length === 0 ? (
            <EmptyState title="Transfer yang Anda kirim akan tampil di sini." />
          ) : (
            <ul className="grid border-t">
              {transfers.map((transfer) => (
                <Line key={transfer.reference} transfer={transfer} />
              ))}
            </ul>
          )}
        </Panel>
      </div>
    </div>
  );
}

type FormProps = { initialAmount: number | undefined; onDone: (transfer: Transfer) => void };

function TransferForm({ initialAmount, onDone }: FormProps) {
  const form = useForm(
    {
      amount: initialAmount === undefined ? '' : String(initialAmount),
      sender: 'Nasabah Simulasi',
    },
    (values) => fieldErrors(simulatedTransfer, values),
  );
  const send = useAct(simulatedTransfer, {
    onSuccess: (done) => {
      onDone({ ...done, sender: form.values.sender, at: new Date() });
      // A second press must not send the same money twice.
      form.set('amount', '');
    },
    onError: form.refuse,
  });
  const amount = form.values.amount === '' ? undefined : Number(form.values.amount);
  const above = send.error && Object.keys(fieldsOf(send.error)).length === 0;
  return (
    <form
      ref={form.ref}
      noValidate
      className="grid gap-16"
      onSubmit={form.submit((values) => {
        if (!send.busy) send.mutate(values);
      })}
    >
      <p className="muted">
        Ke rekening Kabari. Isi saldo yang menunggu menjadi lunas bila jumlahnya sama persis.
      </p>
      <Alert
        state="danger"
        visible={Boolean(above)}
        label={send.error ? sentenceOf(send.error) : ''}
      />
      <CurrencyField
        label="Jumlah"
        name="amount"
        size="xl"
        required
        indonesianSuffixes
        value={amount}
        error={form.errors.amount}
        onChange={(value) => form.set('amount', value === undefined ? '' : String(value))}
        onBlur={() => form.leave('amount')}
      />
      <TextField
        label="Nama pengirim"
        name="sender"
        autoComplete="off"
        required
        maxLength={60}
        value={form.values.sender}
        error={form.errors.sender}
        onChange={(event) => form.set('sender', event.target.value)}
        onBlur={() => form.leave('sender')}
      />
      <Button type="submit" size="lg" block busy={send.busy}>
        Kirim transfer
      </Button>
    </form>
  );
}

const transferResult = ({ amount, matched }: Transfer): string =>
  matched
    ? `Transfer ${formatRupiah(amount)} cocok dengan isi saldo yang menunggu.`
    : `Transfer ${formatRupiah(amount)} tidak cocok dengan isi saldo mana pun.`;

const Line = ({ transfer }: { transfer: Transfer }) => (
  <li className="grid gap-2 gap-x-12 columns-end py-12 border-b">
    <span className="large strong">
      <Money amount={transfer.amount} />
    </span>
    <StatusChip tone={transfer.matched ? 'success' : 'warning'}>
      {transfer.matched ? 'Cocok, lunas' : 'Tidak cocok'}
    </StatusChip>
    <span className="col-all small faint break-anywhere">
      {transfer.sender} · {formatTime(transfer.at)} · {transfer.reference}
    </span>
    <span className="col-all small faint break-anywhere">
      {transfer.matched
        ? 'Isi saldo yang menunggu sejumlah ini sudah lunas.'
        : 'Tidak ada isi saldo yang menunggu sejumlah ini. Operator melihatnya di mutasi bank.'}
    </span>
  </li>
);
