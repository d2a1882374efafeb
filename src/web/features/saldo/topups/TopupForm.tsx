import { useQueryClient } from '@tanstack/react-query';
import { useId, useLayoutEffect } from 'react';
import { formatRupiah } from '#contract/base/money.ts';
import { createTopup, type Topup, TOPUP_MIN, TOPUP_PRESETS } from '#contract/saldo.ts';
import { fieldsOf, sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { useForm } from '#web/ui/form/useForm.ts';
import { fieldErrors } from '#web/ui/form/fieldErrors.ts';
import { recentTopupsQuery, saldoQuery, topupQuery } from '#web/features/saldo/queries.ts';
import styles from '#web/features/saldo/topups/TopupForm.module.css';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { CurrencyField } from '#web/ui/money/CurrencyField.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';

type Props = { onClose: () => void; onMade: (topup: Topup) => void };

/** Asks how much to put in. */
export function TopupForm({ onClose, onMade }: Props) {
  const id = useId();
  const client = useQueryClient();
  const form = useForm({ amount: '' }, (values) => fieldErrors(createTopup, values));
  const create = useAct(createTopup, {
    onSuccess: (topup) => {
      client.setQueryData(topupQuery(topup.id).queryKey, topup);
      void client.invalidateQueries({ queryKey: recentTopupsQuery.queryKey });
      void client.invalidateQueries({ queryKey: saldoQuery.queryKey });
      onMade(topup);
    },
    onError: form.refuse,
  });
  useLayoutEffect(() => {
    // `<dialog>` looks for the attribute, which React does not render. A finger would only get a
    // keyboard over the amounts that it could tap.
    if (!window.matchMedia('(pointer: fine)').matches) return;
    form.ref.current?.querySelector('input')?.setAttribute('autofocus', '');
  }, [form.ref]);
  const amount = form.values.amount === '' ? undefined : Number(form.values.amount);
  const above = create.error && Object.keys(fieldsOf(create.error)).length === 0;
  const foot = (
    <>
      <Button variant="outline" tone="neutral" onClick={onClose}>
        Batal
      </Button>
      <Button type="submit" form={id} busy={create.busy}>
        Lanjut ke pembayaran
      </Button>
    </>
  );
  return (
    <Modal addressed open onClose={onClose} title="Isi saldo" footer={foot}>
      <form
        id={id}
        ref={form.ref}
        noValidate
        className={styles['form']}
        onSubmit={form.submit((values) => {
          if (!create.busy) create.mutate(values);
        })}
      >
        <Alert
          state="danger"
          visible={Boolean(above)}
          label={create.error ? sentenceOf(create.error) : ''}
        />
        <CurrencyField
          label="Nominal"
          name="amount"
          size="xl"
          required
          step={10_000}
          help={`Paling sedikit ${formatRupiah(TOPUP_MIN)}. Boleh ditulis singkat: 50rb atau 1,5jt.`}
          indonesianSuffixes
          value={amount}
          quick={TOPUP_PRESETS}
          error={form.errors.amount}
          onChange={(value) => form.set('amount', value === undefined ? '' : String(value))}
          onBlur={() => form.leave('amount')}
        />
        <p className={styles['note']}>
          Pembayaran lewat transfer bank. Jumlah yang ditransfer ditambah <em>kode unik</em>, paling
          banyak {formatRupiah(999)}, supaya transfer Anda dikenali otomatis.
        </p>
      </form>
    </Modal>
  );
}
