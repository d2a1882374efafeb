import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useId } from 'react';
import { formatRupiah } from '#contract/base/money.ts';
import {
  createTopup,
  type Topup,
  TOPUP_MAX,
  TOPUP_MIN,
  TOPUP_PRESETS,
  type TopupMethod,
  topupMethodLabel,
} from '#contract/saldo.ts';
import { fieldsOf, refusalCode, sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { useForm } from '#web/ui/form/useForm.ts';
import { useStartHere } from '#web/ui/form/useStartHere.ts';
import { fieldErrors } from '#web/ui/form/fieldErrors.ts';
import { recentTopupsQuery, topupQuery } from '#web/features/saldo/queries.ts';
import { saldoQuery } from '#web/features/saldo/saldoQuery.ts';
import { Methods } from '#web/features/saldo/topups/Methods.tsx';
import { firstChoice, unfitFor } from '#web/features/saldo/topups/methods.ts';
import { methodsQuery } from '#web/features/saldo/topups/methodsQuery.ts';
import styles from '#web/features/saldo/topups/TopupForm.module.css';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { CurrencyField } from '#web/ui/money/CurrencyField.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';

type Props = {
  /** In rupiah; left out: no proposal. */
  proposed: number | undefined;
  onClose: () => void;
  onMade: (topup: Topup) => void;
};

export function TopupForm({ proposed, onClose, onMade }: Props) {
  const id = useId();
  const { form, create, chosen, ppn, least } = useTopup(proposed, onMade);
  useStartHere(form.ref);
  const amount = form.values.amount === '' ? undefined : Number(form.values.amount);
  const above =
    create.error &&
    refusalCode(create.error) !== 'topup_amount_unfit' &&
    Object.keys(fieldsOf(create.error)).length === 0;
  useEffect(() => {
    // The button is at the bottom, and the error stands above all the payment methods.
    if (above) form.ref.current?.scrollIntoView({ block: 'start' });
  }, [above, form.ref]);
  const foot = (
    <>
      {chosen && <p className={styles['chosen']}>{topupMethodLabel[chosen]}</p>}
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
        onSubmit={form.submit(({ amount: typed }) => {
          if (!create.busy) create.mutate({ amount: typed, ...(chosen && { method: chosen }) });
        })}
      >
        {above && <Refused error={create.error} onClose={onClose} />}
        <CurrencyField
          label="Nominal"
          name="amount"
          size="xl"
          required
          step={10_000}
          help={`Minimal ${formatRupiah(least)}${ppn ? ', belum termasuk PPN' : ''}. Boleh ditulis singkat: 50rb atau 1,5jt.`}
          indonesianSuffixes
          value={amount}
          quick={TOPUP_PRESETS}
          error={form.errors.amount}
          onChange={(value) => form.set('amount', value === undefined ? '' : String(value))}
          onBlur={() => form.leave('amount')}
        />
        <Methods
          amount={amount}
          value={form.values.method || undefined}
          error={form.errors.method}
          onChange={(method) => form.set('method', method)}
        />
      </form>
    </Modal>
  );
}

const Refused = ({ error, onClose }: { error: unknown; onClose: () => void }) => (
  <Alert visible state="danger" label={sentenceOf(error)}>
    {refusalCode(error) === 'topup_too_many' && (
      <Button size="sm" variant="outline" tone="neutral" onClick={onClose}>
        Lihat yang menunggu
      </Button>
    )}
  </Alert>
);

type Values = { amount: string; method: TopupMethod | '' };

/** The form's values, validated by the act and the method's limits, and their submission. */
function useTopup(proposed: number | undefined, onMade: Props['onMade']) {
  const client = useQueryClient();
  const { methods = [], ppn = false } = useQuery(methodsQuery).data ?? {};
  const first: Values = { amount: fitting(proposed), method: '' };
  const form = useForm(first, ({ amount, method: picked }) => {
    const method = picked || firstChoice(methods);
    const wrong = fieldErrors(createTopup, { amount, method });
    const limits = methods.find((one) => one.method === method);
    if (!limits || wrong['amount'] || unfitFor(limits, Number(amount)) === undefined) return wrong;
    const sentence = `${topupMethodLabel[limits.method]} tidak menerima nominal ini. Pilih cara bayar lain, atau ubah nominalnya.`;
    return { ...wrong, method: sentence };
  });
  const create = useAct(createTopup, {
    onSuccess: (topup) => {
      client.setQueryData(topupQuery(topup.id).queryKey, topup);
      void client.invalidateQueries({ queryKey: recentTopupsQuery.queryKey });
      void client.invalidateQueries({ queryKey: saldoQuery.queryKey });
      onMade(topup);
    },
    onError: (error) => form.refuse(error, { topup_amount_unfit: 'method' }),
  });
  const least = Math.min(...methods.map(({ minimum }) => minimum), TOPUP_MAX);
  return {
    form,
    create,
    ppn,
    least: methods.length > 0 ? least : TOPUP_MIN,
    chosen: form.values.method || firstChoice(methods),
  };
}

/** The proposed amount in the field's format; empty if no top-up may have it. */
const fitting = (proposed: number | undefined): string =>
  proposed === undefined ? '' : String(Math.min(TOPUP_MAX, Math.max(TOPUP_MIN, proposed)));
