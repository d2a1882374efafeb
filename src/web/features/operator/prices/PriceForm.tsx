import { formatRupiah } from '#contract/base/money.ts';
import { setPrice } from '#contract/operator/books.ts';
import styles from '#web/features/operator/desk/desk.module.css';
import { ReasonField } from '#web/features/operator/desk/ReasonField.tsx';
import { useDeskForm } from '#web/features/operator/desk/useDeskForm.ts';
import { beginningOf, fromWords } from '#web/features/operator/prices/beginnings.ts';
import { FromField } from '#web/features/operator/prices/FromField.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { CurrencyField } from '#web/ui/money/CurrencyField.tsx';

/** Sets the list price of a message, from now or a later time on. */
export function PriceForm() {
  const { form, onSubmit } = useDeskForm(setPrice, {
    initial: { price: '', valid_from: '', reason: '' },
    inputOf: ({ price, valid_from, reason }) => {
      const from = beginningOf(valid_from);
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
  const { values, errors } = form;
  return (
    <form ref={form.ref} noValidate className={styles['form']} onSubmit={onSubmit}>
      <div className={styles['pair']}>
        <CurrencyField
          label="Harga baru per pesan"
          name="price"
          required
          value={values.price === '' ? undefined : Number(values.price)}
          error={errors.price}
          onChange={(price) => form.set('price', price === undefined ? '' : String(price))}
          onBlur={() => form.leave('price')}
        />
        <FromField
          value={values.valid_from}
          error={errors.valid_from}
          onChange={(from) => form.set('valid_from', from)}
          onBlur={() => form.leave('valid_from')}
        />
      </div>
      <ReasonField
        value={values.reason}
        error={errors.reason}
        onChange={(reason) => form.set('reason', reason)}
        onBlur={() => form.leave('reason')}
      />
      <div className={styles['actions']}>
        <Button type="submit">Ubah harga pesan</Button>
      </div>
    </form>
  );
}
