import { formatRupiah } from '#contract/base/money.ts';
import { refundMessage } from '#contract/operator/desk.ts';
import {
  type CustomerForm,
  amountOf,
  saidOf,
} from '#web/features/operator/adjustments/customerForm.ts';
import styles from '#web/features/operator/desk/desk.module.css';
import { ReasonField } from '#web/features/operator/desk/ReasonField.tsx';
import { useDeskForm } from '#web/features/operator/desk/useDeskForm.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { CurrencyField } from '#web/ui/money/CurrencyField.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';

/** The price of one message back to the saldo. */
export function RefundForm({ customer, onDone }: CustomerForm) {
  const { form, onSubmit } = useDeskForm(refundMessage, {
    initial: { message_id: '', amount: '', reason: '' },
    inputOf: ({ message_id, amount, reason }) => ({
      account_id: customer.account_id,
      message_id: message_id.trim(),
      ...(amount !== '' && { amount }),
      reason,
    }),
    question: ({ amount }) => ({
      title: 'Kembalikan biaya pesan ini?',
      text: `${amount === '' ? 'Seluruh biayanya' : formatRupiah(Number(amount))} masuk kembali ke saldo ${customer.name}. Satu pesan hanya dapat dikembalikan sekali.`,
      button: 'Kembalikan',
    }),
    said: saidOf,
    onDone,
  });
  const { values, errors } = form;
  return (
    <form ref={form.ref} noValidate className={styles['form']} onSubmit={onSubmit}>
      <TextField
        label="Id pesan"
        name="message_id"
        required
        autoComplete="off"
        help="Pelanggan melihatnya di rincian pesan: msg_…"
        value={values.message_id}
        error={errors.message_id}
        onChange={(event) => form.set('message_id', event.target.value)}
        onBlur={() => form.leave('message_id')}
      />
      <CurrencyField
        label="Nominal"
        name="amount"
        help="Kosongkan untuk seluruh biayanya."
        value={amountOf(values.amount)}
        error={errors.amount}
        onChange={(amount) => form.set('amount', amount === undefined ? '' : String(amount))}
        onBlur={() => form.leave('amount')}
      />
      <ReasonField
        value={values.reason}
        error={errors.reason}
        onChange={(reason) => form.set('reason', reason)}
        onBlur={() => form.leave('reason')}
      />
      <div className={styles['actions']}>
        <Button type="submit">Lanjut</Button>
      </div>
    </form>
  );
}
