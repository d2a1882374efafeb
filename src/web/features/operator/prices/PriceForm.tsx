import { formatRupiah } from '#contract/base/money.ts';
import { setPrice } from '#contract/operator/money/books.ts';
import { AmountField } from '#web/features/operator/desk/AmountField.tsx';
import styles from '#web/features/operator/desk/desk.module.css';
import { DeskForm } from '#web/features/operator/desk/DeskForm.tsx';
import { useDeskForm } from '#web/features/operator/desk/useDeskForm.ts';
import { fromWords } from '#web/features/operator/prices/priceWords.ts';
import { instantOf } from '#web/features/operator/desk/moment.ts';
import { FromField } from '#web/features/operator/prices/FromField.tsx';
import { Button } from '#web/ui/button/Button.tsx';

/** Sets the list price of a message, from now or a later time on. */
export function PriceForm() {
  const { form, onSubmit } = useDeskForm(setPrice, {
    initial: { price: '', valid_from: '', reason: '' },
    inputOf: ({ price, valid_from, reason }) => {
      const from = instantOf(valid_from);
      return {
        category: 'message' as const,
        price,
        reason,
        ...(from !== undefined && { valid_from: from }),
      };
    },
    question: ({ price, valid_from }) => ({
      title: 'Ubah harga pesan?',
      text: `Pesan yang diterima mulai ${fromWords(valid_from)} berharga ${formatRupiah(Number(price))}. Pesan yang sudah diterima tetap dengan harganya.`,
      button: 'Ubah harga',
    }),
    said: () => 'Harga disimpan.',
    onDone: () => undefined,
  });
  return (
    <DeskForm
      form={form}
      onSubmit={onSubmit}
      actions={<Button type="submit">Ubah harga pesan</Button>}
    >
      <div className={styles['pair']}>
        <AmountField form={form} label="Harga baru per pesan" name="price" required />
        <FromField form={form} />
      </div>
    </DeskForm>
  );
}
