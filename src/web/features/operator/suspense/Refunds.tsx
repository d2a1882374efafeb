import { useState } from 'react';
import { formatRupiah, rupiah } from '#contract/base/money.ts';
import { isolated } from '#contract/base/names.ts';
import {
  type FlaggedPayment,
  type OpenRefund,
  finishRefund,
  listFlagged,
  listRefunds,
  settleFlag,
} from '#contract/operator/payments.ts';
import { topupStatusLabel } from '#contract/saldo.ts';
import { OperatorForm } from '#web/features/operator/OperatorForm.tsx';
import { Hash } from '#web/features/operator/OperatorFrame.tsx';
import {
  amountColumn,
  customerColumn,
  momentColumn,
  OperatorList,
} from '#web/features/operator/OperatorList.tsx';
import { GiveBack } from '#web/features/operator/suspense/GiveBack.tsx';
import { paymentMethodLabels } from '#web/features/operator/topups/topups.ts';
import { LinkButton } from '#web/ui/button/Button.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { type FactList, Facts } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { Tabs } from '#web/ui/tabs/Tabs.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

const refundColumns: readonly Column<OpenRefund>[] = [
  customerColumn,
  momentColumn({ id: 'since', title: 'Sejak', at: ({ since }) => since }),
  amountColumn('amount', ({ amount }) => amount),
  {
    id: 'way',
    title: 'Status',
    width: 220,
    phone: 'note',
    cell: ({ way }) => (
      <StatusChip tone={way === 'manual' ? 'warning' : 'info'}>
        {way === 'manual' ? 'Perlu ditransfer' : 'Menunggu gerbang'}
      </StatusChip>
    ),
  },
];

const flaggedColumns: readonly Column<FlaggedPayment>[] = [
  customerColumn,
  momentColumn({ id: 'at', title: 'Ditandai', at: ({ at }) => at }),
  amountColumn('total', ({ total }) => total),
  {
    id: 'kind',
    title: 'Status',
    width: 220,
    phone: 'note',
    cell: ({ kind }) => (
      <StatusChip tone="danger">{kind === 'refunded' ? 'Ditarik' : 'Sebagian ditarik'}</StatusChip>
    ),
  },
  {
    id: 'provider',
    title: 'Lewat',
    width: 120,
    phone: 'fact',
    cell: ({ provider }) => paymentMethodLabels[provider] ?? provider,
  },
];

/** Refunds that have not reached their payers yet. */
export const OpenRefunds = () => (
  <OperatorList
    to="/operator/suspense"
    openField="refund"
    pageField="refund_page"
    act={listRefunds}
    title="Pengembalian dana"
    caption="Pengembalian dana yang belum sampai"
    columns={refundColumns}
    rowKey={({ id }) => id}
    empty={{
      title: 'Tidak ada pengembalian yang menunggu',
      text: 'Pembayaran dikembalikan dari rincian isi saldo yang lunas.',
    }}
    drawer={{
      name: 'Pengembalian dana',
      title: ({ account_name }) => account_name,
      missing: 'Pengembalian ini sudah selesai, atau ada di halaman lain.',
      children: (refund, { close }) => <Refund refund={refund} onDone={close} />,
    }}
  />
);

/** Payments that their gateways have taken back. */
export const FlaggedPayments = () => (
  <OperatorList
    to="/operator/suspense"
    openField="flag"
    pageField="flag_page"
    act={listFlagged}
    title="Ditarik di gerbang pembayaran"
    caption="Pembayaran yang ditarik di gerbang pembayaran"
    columns={flaggedColumns}
    rowKey={({ topup_id }) => topup_id}
    empty={{
      title: 'Tidak ada yang ditarik',
      text: 'Pembayaran yang dikembalikan atau disengketakan lewat gerbangnya sendiri tampil di sini.',
    }}
    drawer={{
      name: 'Ditarik di gerbang',
      title: ({ account_name }) => account_name,
      missing: 'Penarikan ini sudah selesai, atau ada di halaman lain.',
      children: (payment, { close }) => (
        <>
          <Facts facts={flagFacts(payment)} />
          <Acts payment={payment} onDone={close} />
        </>
      ),
    }}
  />
);

type RefundProps = { refund: OpenRefund; onDone: () => void };

const Refund = ({ refund, onDone }: RefundProps) => (
  <>
    <Facts
      facts={[
        { term: 'Jumlah', is: <Money amount={refund.amount} /> },
        { term: 'Sejak', is: <DateTime at={refund.since} /> },
        { term: 'Oleh', is: refund.operator },
        { term: 'Isi saldo', is: <Hash>{refund.topup_id}</Hash> },
        { term: 'Nomor', is: <Hash>{refund.id}</Hash> },
      ]}
    />
    {refund.way === 'manual' ? (
      <OperatorForm
        act={finishRefund}
        initial={{ reference: '' }}
        inputOf={({ reference }) => ({ refund_id: refund.id, reference })}
        question={() => ({
          title: 'Catat pengembalian selesai?',
          text: `${formatRupiah(refund.amount)} dicatat sudah ditransfer ke pembayar ${isolated(refund.account_name)}.`,
          button: 'Catat',
        })}
        said="Pengembalian dicatat selesai."
        onDone={onDone}
        actions="Sudah ditransfer"
      >
        {({ field }) => (
          <TextField
            label="Referensi transfer dari bank"
            required
            autoComplete="off"
            maxLength={100}
            help="Transfer dulu di bank ke rekening pembayar, lalu tulis referensinya."
            {...field('reference')}
          />
        )}
      </OperatorForm>
    ) : (
      <p className="muted">
        Gerbang pembayaran belum menjawab dan ditanya lagi setiap menit. Jangan transfer manual:
        uangnya akan kembali dua kali.
      </p>
    )}
  </>
);

const gatewayOf = ({ provider }: FlaggedPayment): string =>
  paymentMethodLabels[provider] ?? provider;

function flagFacts(payment: FlaggedPayment): FactList {
  const { kind, total, returned } = payment;
  const isPartly = kind === 'partly_refunded';
  return [
    { term: 'Jumlah', is: <Money amount={total} /> },
    { term: 'Masuk ke saldo', is: <Money amount={payment.credited} /> },
    isPartly && {
      term: 'Kembali ke pembayar',
      is: returned === null ? 'Sebagian, jumlahnya tidak disebut' : <Money amount={returned} />,
    },
    isPartly &&
      returned !== null && { term: 'Tersisa', is: <Money amount={rupiah(total - returned)} /> },
    { term: 'Lewat', is: gatewayOf(payment) },
    { term: 'Status', is: topupStatusLabel[payment.status] },
    { term: 'Ditandai', is: <DateTime at={payment.at} /> },
    { term: 'Isi saldo', is: <Hash>{payment.topup_id}</Hash> },
  ];
}

type ActsProps = { payment: FlaggedPayment; onDone: () => void };

function Acts({ payment, onDone }: ActsProps) {
  const gateway = gatewayOf(payment);
  if (payment.status !== 'paid') {
    return (
      <>
        <p className="muted">
          Saldonya belum bertambah. Periksa di dasbor {gateway}, lalu tolak isi saldo ini.
        </p>
        <div className="flex wrap justify-end gap-8">
          <LinkButton
            variant="outline"
            to="/operator/isi-saldo"
            search={{ open: payment.topup_id, status: 'review' }}
          >
            Buka isi saldo
          </LinkButton>
        </div>
      </>
    );
  }
  if (payment.kind === 'partly_refunded') {
    return (
      <>
        <p className="muted">
          Sebagian uangnya sudah kembali ke pembayar, jadi pembayaran ini tidak dapat dikembalikan
          seluruhnya. Periksa di dasbor {gateway}, sesuaikan saldonya di halaman pelanggannya, lalu
          tandai selesai.
        </p>
        <SettleFlag payment={payment} onDone={onDone} />
      </>
    );
  }
  return <OfWhole payment={payment} onDone={onDone} />;
}

function OfWhole({ payment, onDone }: ActsProps) {
  const [tab, setTab] = useState('kembali');
  return (
    <>
      <p className="muted">
        Periksa dulu di dasbor {gatewayOf(payment)}. Bila seluruhnya sudah kembali ke pembayar,
        kembalikan pembayarannya di sini: saldo dikurangi, dan gerbang tidak membayar lagi. Bila
        masih sengketa, tunggu keputusannya. Bila uangnya tetap pada kita, atau saldonya sudah
        disesuaikan, tandai selesai.
      </p>
      <Tabs
        label="Yang dilakukan dengan penarikan ini"
        value={tab}
        onChange={setTab}
        tabs={[
          {
            value: 'kembali',
            label: 'Kembalikan',
            content: <GiveBack topup={{ ...payment, id: payment.topup_id }} onDone={onDone} />,
          },
          {
            value: 'selesai',
            label: 'Tandai selesai',
            content: <SettleFlag payment={payment} onDone={onDone} />,
          },
        ]}
      />
    </>
  );
}

const SettleFlag = ({ payment, onDone }: ActsProps) => (
  <OperatorForm
    act={settleFlag}
    initial={{ reason: '' }}
    inputOf={({ reason }) => ({
      topup_id: payment.topup_id,
      flagged_at: payment.at.toISOString(),
      reason,
    })}
    question={() => ({
      title: 'Tandai penarikan ini selesai?',
      text: 'Tidak ada uang yang berpindah. Penarikan ini hilang dari daftar; bila gerbangnya menarik lagi, ia tampil kembali.',
      button: 'Tandai selesai',
    })}
    said="Penarikan ditandai selesai."
    onDone={onDone}
    actions="Tandai selesai"
    look={{ variant: 'outline' }}
  />
);
