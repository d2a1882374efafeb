import { useState } from 'react';
import { formatRupiah } from '#contract/base/money.ts';
import { isolated } from '#contract/base/names.ts';
import {
  type SuspenseItem,
  annotateSuspense,
  creditSuspense,
  listSuspense,
  returnSuspense,
} from '#contract/operator/payments.ts';
import { Link } from '#web/browser/router/Link.tsx';
import {
  OperatorForm,
  proposalResult,
  TransferFields,
} from '#web/features/operator/OperatorForm.tsx';
import { By, Entry, Hash, OperatorFrame, Rows } from '#web/features/operator/OperatorFrame.tsx';
import {
  amountColumn,
  customerColumn,
  momentColumn,
  OperatorList,
} from '#web/features/operator/OperatorList.tsx';
import { FlaggedPayments, OpenRefunds } from '#web/features/operator/suspense/Refunds.tsx';
import { paymentMethodLabels } from '#web/features/operator/topups/topups.ts';
import { Money } from '#web/ui/money/Money.tsx';
import { Facts } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { Tabs } from '#web/ui/tabs/Tabs.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

const columns: readonly Column<SuspenseItem>[] = [
  customerColumn,
  momentColumn({ id: 'created_at', title: 'Diterima', sortable: true, at: ({ at }) => at }),
  amountColumn('amount', ({ amount }) => amount),
  {
    id: 'state',
    title: 'Status',
    width: 220,
    phone: 'note',
    cell: ({ waiting, notes }) => (
      <StatusChip tone={waiting ? 'warning' : 'info'}>
        {waiting ? 'Menunggu operator kedua' : notes.length > 0 ? 'Ada catatan' : 'Belum ditangani'}
      </StatusChip>
    ),
  },
];

const keyOf = ({ provider, txn }: SuspenseItem): string => `${provider} ${txn}`;

/** Route `/operator/suspense`: payments that belong to no saldo yet. */
export const SuspensePage = () => (
  <OperatorFrame
    title="Dana belum dikenali"
    context={
      <>
        Pembayaran yang datang setelah isi saldonya lunas. Uang ini milik pelanggan, bukan kita.
        Transfer yang tidak cocok dengan isi saldo mana pun ada di{' '}
        <Link to="/operator/mutasi-bank">Mutasi bank</Link>.
      </>
    }
  >
    <OperatorList
      to="/operator/suspense"
      act={listSuspense}
      caption="Dana belum dikenali"
      columns={columns}
      rowKey={keyOf}
      empty={{
        title: 'Tidak ada dana yang menunggu',
        text: 'Pembayaran kedua untuk isi saldo yang sama tampil di sini.',
      }}
      drawer={{
        name: 'Dana belum dikenali',
        title: ({ account_name }) => account_name,
        missing: 'Dana ini tidak lagi menunggu, atau ada di halaman lain.',
        children: (item, { close }) => <Item item={item} onDone={close} />,
      }}
    />
    <OpenRefunds />
    <FlaggedPayments />
  </OperatorFrame>
);

type FormProps = { item: SuspenseItem; onDone: () => void };

function Item({ item, onDone }: FormProps) {
  const [tab, setTab] = useState('saldo');
  const form = { item, onDone };
  return (
    <>
      <Facts
        facts={[
          { term: 'Jumlah', is: <Money amount={item.amount} /> },
          { term: 'Diterima', is: <DateTime at={item.at} /> },
          { term: 'Lewat', is: paymentMethodLabels[item.provider] ?? item.provider },
          { term: 'Isi saldo', is: <Hash>{item.topup_id}</Hash> },
          // A bank entry has no number of its own: its internal reference means nothing to people.
          item.provider !== 'bank' && { term: 'Transaksi', is: <Hash>{item.txn}</Hash> },
        ]}
      />
      {item.notes.length > 0 && (
        <Rows label="Catatan">
          {item.notes.map(({ note, operator, at }) => (
            <Entry key={at.toISOString()} small={<By name={operator} at={at} />}>
              {note}
            </Entry>
          ))}
        </Rows>
      )}
      {item.waiting ? (
        <p className="muted">
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
    </>
  );
}

const Credit = ({ item: { provider, txn, amount, account_name }, onDone }: FormProps) => (
  <OperatorForm
    act={creditSuspense}
    initial={{ reason: '' }}
    inputOf={({ reason }) => ({ provider, txn, reason })}
    question={() => ({
      title: 'Masukkan ke saldo?',
      text: `${formatRupiah(amount)} masuk ke saldo ${isolated(account_name)}.`,
      button: 'Masukkan',
    })}
    said={proposalResult}
    onDone={onDone}
    actions="Masukkan ke saldo"
  />
);

const Return = ({ item: { provider, txn, amount }, onDone }: FormProps) => (
  <OperatorForm
    act={returnSuspense}
    initial={{ reference: '', payee: '', reason: '' }}
    inputOf={(values) => ({ provider, txn, ...values })}
    question={({ payee }) => ({
      title: 'Bukukan pengembalian?',
      text: `${formatRupiah(amount)} dicatat sudah ditransfer ke rekening atas nama ${payee}.`,
      button: 'Bukukan',
    })}
    said={proposalResult}
    onDone={onDone}
    actions="Kembalikan ke pengirim"
  >
    {(form) => <TransferFields form={form} payeeHelp="Rekening asal pembayarannya." />}
  </OperatorForm>
);

const Keep = ({ item: { provider, txn }, onDone }: FormProps) => (
  <OperatorForm
    act={annotateSuspense}
    initial={{ reason: '' }}
    inputOf={({ reason }) => ({ provider, txn, reason })}
    question={() => ({
      title: 'Simpan dengan catatan?',
      text: 'Dana tetap di sini sampai ada yang menyelesaikannya.',
      button: 'Simpan',
    })}
    said="Catatan disimpan."
    onDone={onDone}
    actions="Simpan catatan"
    look={{ variant: 'outline' }}
  />
);
