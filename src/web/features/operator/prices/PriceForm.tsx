import { formatRupiah } from '#contract/base/money.ts';
import { setPrice } from '#contract/operator/books.ts';
import { PriceCategory } from '#contract/channels.ts';
import { AmountField } from '#web/features/operator/form/AmountField.tsx';
import styles from '#web/features/operator/form/form.module.css';
import { OperatorForm } from '#web/features/operator/form/OperatorForm.tsx';
import { useOperatorForm } from '#web/features/operator/form/useOperatorForm.tsx';
import { categoryWords, fromWords, whatOf } from '#web/features/operator/prices/priceWords.ts';
import { instantOf } from '#web/features/operator/form/moment.ts';
import { FromField } from '#web/features/operator/prices/FromField.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Select } from '#web/ui/select/Select.tsx';

const NEW: { category: PriceCategory; price: string; valid_from: string; reason: string } = {
  category: 'message',
  price: '',
  valid_from: '',
  reason: '',
};
const categories = PriceCategory().options.map((value) => ({
  value,
  label: categoryWords(value),
}));

export function PriceForm({ onDone }: { onDone: () => void }) {
  const { form, onSubmit } = useOperatorForm(setPrice, {
    initial: NEW,
    inputOf: ({ category, price, valid_from, reason }) => {
      const from = instantOf(valid_from);
      return {
        category,
        price,
        reason,
        ...(from !== undefined && { valid_from: from }),
      };
    },
    question: ({ category, price, valid_from }) => ({
      title: category === 'message' ? 'Ubah harga pesan?' : 'Ubah harga Cloud API?',
      text: `${whatOf(category)} yang diterima mulai ${fromWords(valid_from)} berharga ${formatRupiah(Number(price))}. Pesan yang sudah diterima tetap dengan harganya.`,
      button: 'Ubah harga',
    }),
    said: () => 'Harga disimpan.',
    onDone,
  });
  return (
    <OperatorForm form={form} onSubmit={onSubmit} actions={<Button type="submit">Simpan</Button>}>
      <Select
        label="Jenis"
        name="category"
        required
        options={categories}
        value={form.values.category}
        error={form.errors.category}
        onChange={(event) => form.set('category', event.target.value)}
      />
      <div className={styles['pair']}>
        <AmountField form={form} label="Harga baru per pesan" name="price" required />
        <FromField form={form} />
      </div>
    </OperatorForm>
  );
}
