import { isolated } from '#contract/base/names.ts';
import { formatRupiah } from '#contract/base/money.ts';
import { refundMessage } from '#contract/operator/books.ts';
import {
  type CustomerForm,
  proposalResult,
} from '#web/features/operator/adjustments/customerForm.ts';
import { AmountField } from '#web/features/operator/form/AmountField.tsx';
import { OperatorForm } from '#web/features/operator/form/OperatorForm.tsx';
import { useOperatorForm } from '#web/features/operator/form/useOperatorForm.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';

export function RefundForm({ customer, onDone }: CustomerForm) {
  const { form, onSubmit } = useOperatorForm(refundMessage, {
    initial: { message_id: '', amount: '', reason: '' },
    inputOf: ({ message_id, amount, reason }) => ({
      account_id: customer.account_id,
      message_id: message_id.trim(),
      ...(amount !== '' && { amount }),
      reason,
    }),
    question: ({ amount }) => ({
      title: 'Kembalikan biaya pesan ini?',
      text: `${amount === '' ? 'Seluruh biayanya' : formatRupiah(Number(amount))} masuk kembali ke saldo ${isolated(customer.name)}. Satu pesan hanya dapat dikembalikan sekali.`,
      button: 'Kembalikan',
    }),
    said: proposalResult,
    onDone,
  });
  const { values, errors } = form;
  return (
    <OperatorForm form={form} onSubmit={onSubmit} actions={<Button type="submit">Lanjut</Button>}>
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
      <AmountField
        form={form}
        label="Nominal"
        name="amount"
        help="Kosongkan untuk seluruh biayanya."
      />
    </OperatorForm>
  );
}
