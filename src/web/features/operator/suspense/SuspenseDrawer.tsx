import { isolated } from '#contract/base/names.ts';
import { useState } from 'react';
import { formatRupiah } from '#contract/base/money.ts';
import {
  type SuspenseItem,
  creditSuspense,
  annotateSuspense,
  returnSuspense,
} from '#contract/operator/payments.ts';
import { proposalResult } from '#web/features/operator/adjustments/customerForm.ts';
import styles from '#web/features/operator/form/form.module.css';
import { OperatorForm } from '#web/features/operator/form/OperatorForm.tsx';
import { paymentMethodLabels } from '#web/features/operator/form/paymentMethodLabels.ts';
import { TransferFields } from '#web/features/operator/form/TransferFields.tsx';
import { useOperatorForm } from '#web/features/operator/form/useOperatorForm.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { Drawer } from '#web/ui/overlay/Modal.tsx';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { Facts } from '#web/ui/panel/Panel.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { Tabs } from '#web/ui/tabs/Tabs.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

type Props = {
  /** `undefined` while it loads, and once it is resolved. */
  item: SuspenseItem | undefined;
  loading: boolean;
  onClose: () => void;
};

export const SuspenseDrawer = ({ item, loading, onClose }: Props) => (
  <Drawer addressed open onClose={onClose} title={item?.account_name ?? 'Dana belum dikenali'}>
    {item ? (
      <Item item={item} onClose={onClose} />
    ) : loading ? (
      <div aria-busy="true">
        <Skeleton lines={6} height="1.4em" />
      </div>
    ) : (
      <EmptyState title="Dana ini tidak lagi menunggu, atau ada di halaman lain." />
    )}
  </Drawer>
);

function Item({ item, onClose }: { item: SuspenseItem; onClose: () => void }) {
  const [tab, setTab] = useState('saldo');
  const form = { item, onDone: onClose };
  return (
    <div className={styles['drawer']}>
      <Facts
        facts={[
          { term: 'Jumlah', is: <Money amount={item.amount} /> },
          { term: 'Diterima', is: <DateTime at={item.at} /> },
          { term: 'Lewat', is: paymentMethodLabels[item.provider] ?? item.provider },
          { term: 'Isi saldo', is: <span className={styles['hash']}>{item.topup_id}</span> },
          // A bank entry has no number of its own: its internal reference means nothing to people.
          ...(item.provider === 'bank'
            ? []
            : [{ term: 'Transaksi', is: <span className={styles['hash']}>{item.txn}</span> }]),
        ]}
      />
      {item.notes.length > 0 && (
        <ul className={styles['rows']} aria-label="Catatan">
          {item.notes.map(({ note, operator, at }) => (
            <li key={at.toISOString()}>
              <span className={styles['what']}>
                {note}
                <span className={styles['small']}>
                  {operator}, <DateTime at={at} />
                </span>
              </span>
            </li>
          ))}
        </ul>
      )}
      {item.waiting ? (
        <p className={styles['note']}>
          Usulan untuk dana ini menunggu operator kedua di halaman Penyesuaian.
        </p>
      ) : (
        <Tabs
          label="Yang dilakukan dengan dana ini"
          value={tab}
          onChange={setTab}
          tabs={[
            { value: 'saldo', label: 'Masukkan ke saldo', content: <Credit {...form} /> },
            { value: 'kembali', label: 'Kembalikan', content: <Return {...form} /> },
            { value: 'catat', label: 'Simpan dulu', content: <Keep {...form} /> },
          ]}
        />
      )}
    </div>
  );
}

type FormProps = { item: SuspenseItem; onDone: () => void };

function Credit({ item: { provider, txn, amount, account_name }, onDone }: FormProps) {
  const { form, onSubmit } = useOperatorForm(creditSuspense, {
    initial: { reason: '' },
    inputOf: ({ reason }) => ({ provider, txn, reason }),
    question: () => ({
      title: 'Masukkan ke saldo?',
      text: `${formatRupiah(amount)} masuk ke saldo ${isolated(account_name)}.`,
      button: 'Masukkan',
    }),
    said: proposalResult,
    onDone,
  });
  return (
    <OperatorForm
      form={form}
      onSubmit={onSubmit}
      actions={<Button type="submit">Masukkan ke saldo</Button>}
    />
  );
}

function Return({ item: { provider, txn, amount }, onDone }: FormProps) {
  const { form, onSubmit } = useOperatorForm(returnSuspense, {
    initial: { reference: '', payee: '', reason: '' },
    inputOf: (values) => ({ provider, txn, ...values }),
    question: ({ payee }) => ({
      title: 'Bukukan pengembalian?',
      text: `${formatRupiah(amount)} dicatat sudah ditransfer ke rekening atas nama ${payee}.`,
      button: 'Bukukan',
    }),
    said: proposalResult,
    onDone,
  });
  return (
    <OperatorForm
      form={form}
      onSubmit={onSubmit}
      actions={<Button type="submit">Kembalikan ke pengirim</Button>}
    >
      <TransferFields form={form} payeeHelp="Rekening asal pembayarannya." />
    </OperatorForm>
  );
}

function Keep({ item: { provider, txn }, onDone }: FormProps) {
  const { form, onSubmit } = useOperatorForm(annotateSuspense, {
    initial: { reason: '' },
    inputOf: ({ reason }) => ({ provider, txn, reason }),
    question: () => ({
      title: 'Simpan dengan catatan?',
      text: 'Dana tetap di sini sampai ada yang menyelesaikannya.',
      button: 'Simpan',
    }),
    said: () => 'Catatan disimpan.',
    onDone,
  });
  return (
    <OperatorForm
      form={form}
      onSubmit={onSubmit}
      actions={
        <Button type="submit" variant="outline">
          Simpan catatan
        </Button>
      }
    />
  );
}
