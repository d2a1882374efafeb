import { Download } from 'lucide-react';
import { paymentRefundLabel } from '#contract/operator/books.ts';
import { type OperatorTopup, operatorTopups } from '#contract/operator/payments.ts';
import { topupMethodLabel, topupStatusLabel } from '#contract/saldo.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import styles from '#web/features/operator/operator.module.css';
import { Hash, OperatorFrame } from '#web/features/operator/OperatorFrame.tsx';
import {
  amountColumn,
  momentColumn,
  OperatorList,
  optionsOf,
} from '#web/features/operator/OperatorList.tsx';
import { GiveBack } from '#web/features/operator/suspense/GiveBack.tsx';
import { AtGateway, Decision } from '#web/features/operator/topups/Decision.tsx';
import {
  filterOf,
  mayConfirm,
  offerOf,
  paymentMethodLabels,
  wordOf,
} from '#web/features/operator/topups/topups.ts';
import page from '#web/features/operator/topups/TopupsPage.module.css';
import { inFours, topupTone } from '#web/features/saldo/saldo.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { ImageZoom } from '#web/ui/media/ImageZoom.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { type FactList, Facts } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { DateTime } from '#web/ui/time/DateTime.tsx';

/** The poll interval of the list: no live event reports other accounts' top-ups to an operator. */
const LOOK_MS = 10_000;

const statuses = optionsOf('Menunggu tindakan', {
  gateway: 'Menunggu di gerbang',
  semua: 'Semua status',
  ...topupStatusLabel,
});

const Status = ({ status }: Pick<OperatorTopup, 'status'>) => (
  <StatusChip tone={topupTone[status]}>{topupStatusLabel[status]}</StatusChip>
);

const columns: readonly Column<OperatorTopup>[] = [
  {
    id: 'account_name',
    title: 'Pelanggan',
    width: 220,
    phone: 'title',
    cell: ({ account_name, method }) => (
      <span className={styles['what']}>
        <bdi>{account_name}</bdi>
        {method !== 'bank' && <span className={styles['small']}>{topupMethodLabel[method]}</span>}
      </span>
    ),
  },
  momentColumn({
    id: 'created_at',
    title: 'Dibuat',
    sortable: true,
    at: ({ created_at }) => created_at,
  }),
  amountColumn('total', ({ total }) => total),
  { id: 'status', title: 'Status', width: 190, phone: 'note', cell: Status },
  {
    id: 'slip',
    title: 'Bukti',
    width: 130,
    phone: 'fact',
    cell: ({ slip, proposal, method }) => {
      if (proposal) return <StatusChip tone="warning">Perlu operator kedua</StatusChip>;
      if (method !== 'bank') return <span className={styles['faint']}>Lewat gerbang</span>;
      if (!slip) return <span className={styles['faint']}>Belum ada</span>;
      return slip.used_before ? (
        <StatusChip tone="danger">Pernah dipakai</StatusChip>
      ) : (
        <StatusChip tone="info">Ada</StatusChip>
      );
    },
  },
  {
    id: 'offer',
    title: 'Mutasi bank',
    width: 190,
    whole: true,
    phone: 'fact',
    cell: (row) => {
      const offer = offerOf(row);
      const isOver = row.status === 'paid' || row.status === 'rejected';
      if (!offer && (isOver || row.method !== 'bank'))
        return <span className={styles['faint']}>—</span>;
      if (!offer) return <span className={styles['faint']}>Belum ada</span>;
      return <StatusChip tone={offer.exact ? 'success' : 'info'}>{offer.words}</StatusChip>;
    },
  },
];

const showAll = (): void =>
  void navigate({
    to: '/operator/isi-saldo',
    change: { page: undefined, status: wordOf(undefined) },
    resetScroll: false,
  });

/** Route `/operator/isi-saldo`: the top-ups of all customers, waiting ones first. */
export function TopupsPage() {
  const filter = filterOf(useSearch('/operator/isi-saldo').status);
  return (
    <OperatorFrame
      title="Isi saldo"
      context="Isi saldo pelanggan yang perlu dicocokkan dengan bank."
    >
      <OperatorList
        to="/operator/isi-saldo"
        act={operatorTopups}
        input={{ status: filter }}
        everyMs={LOOK_MS}
        caption="Isi saldo pelanggan"
        columns={columns}
        rowKey={({ id }) => id}
        filters={[{ name: 'status', label: 'Status', options: statuses }]}
        empty={{
          title: 'Tidak ada isi saldo yang menunggu tindakan',
          text: `Yang hanya menunggu transfer pelanggannya ada di status ${topupStatusLabel.pending}.`,
        }}
        drawer={{
          name: 'Isi saldo',
          title: ({ account_name }) => account_name,
          missing: (
            <EmptyState
              title="Isi saldo ini tidak ada di halaman yang sedang ditampilkan."
              action={
                filter && (
                  <Button variant="subtle" onClick={showAll}>
                    Tampilkan semua status
                  </Button>
                )
              }
            />
          ),
          children: (topup, { show }) => <Topup topup={topup} onDecided={show} />,
        }}
      />
    </OperatorFrame>
  );
}

type TopupProps = { topup: OperatorTopup; onDecided: (topup: OperatorTopup) => void };

/**
 * A top-up with its decision: a transfer beside the bank entries that could be its payment, an order beside its
 * gateway's state.
 */
const Topup = ({ topup, onDecided }: TopupProps) => (
  <>
    <div className={styles['head']}>
      <p className={styles['total']}>
        <Money amount={topup.total} />
      </p>
      <Status status={topup.status} />
    </div>
    {topup.note && <p className={page['note']}>{topup.note}</p>}
    {topup.slip && <Slip slip={topup.slip} />}
    {topup.gateway ? (
      <AtGateway topup={topup} provider={topup.gateway.provider} onDecided={onDecided} />
    ) : (
      mayConfirm(topup) && <Decision topup={topup} onDecided={onDecided} />
    )}
    <Facts facts={factsOf(topup)} />
    {topup.status === 'paid' && topup.refund === null && (
      <GiveBack topup={topup} onDone={({ refund }) => onDecided({ ...topup, refund })} />
    )}
  </>
);

type SlipProps = { slip: NonNullable<OperatorTopup['slip']> };

function Slip({ slip }: SlipProps) {
  const { url, name, mime, at, used_before: before } = slip;
  return (
    <section className={page['slip']} aria-label="Bukti transfer">
      <p className={page['what']}>
        Bukti transfer, dikirim <DateTime at={at} />
      </p>
      <Alert
        state="warning"
        visible={before !== null}
        label={
          before && (
            <>
              Slip pernah dipakai: <bdi>{before.account_name}</bdi> mengirim berkas yang sama untuk
              isi saldo {before.topup_id} pada <DateTime at={before.at} />.
            </>
          )
        }
      />
      {mime.startsWith('image/') ? (
        <ImageZoom
          src={url}
          alt="Bukti transfer"
          className={page['picture']}
          expandText="Perbesar"
          minimizeText="Perkecil"
        />
      ) : (
        <a className={page['file']} href={url} download={name}>
          <Download size={18} aria-hidden="true" />
          <bdi>{name}</bdi>
        </a>
      )}
      <p className={styles['small']}>
        Bukti bukan uang masuk. Cocokkan dengan mutasi bank sebelum mengonfirmasi.
      </p>
    </section>
  );
}

function flagFactsOf(flag: NonNullable<OperatorTopup['gateway']>['flag']): FactList {
  if (flag === null) return [];
  const { kind, returned, settled } = flag;
  const isAll = kind === 'refunded';
  const unspecified = isAll ? 'Seluruhnya, atau disengketakan' : 'Jumlahnya tidak disebut';
  return [
    {
      term: isAll ? 'Ditarik di gerbang' : 'Sebagian ditarik di gerbang',
      is: returned === null ? unspecified : <Money amount={returned} />,
    },
    settled && {
      term: 'Ditandai selesai',
      is: (
        <>
          {settled.by}, <DateTime at={settled.at} />: {settled.reason}
        </>
      ),
    },
  ];
}

function factsOf(topup: OperatorTopup): FactList {
  const { bank, gateway } = topup;
  return [
    { term: 'Cara bayar', is: topupMethodLabel[topup.method] },
    { term: 'Nominal', is: <Money amount={topup.base} /> },
    topup.ppn > 0 && { term: 'PPN', is: <Money amount={topup.ppn} /> },
    topup.unique_code > 0 && { term: 'Kode unik', is: <Money amount={topup.unique_code} /> },
    { term: 'Masuk ke saldo', is: <Money amount={topup.credited} /> },
    bank !== null && {
      term: 'Rekening',
      is: `${bank.name} ${inFours(bank.number)}, ${bank.holder}`,
    },
    { term: 'Dibuat', is: <DateTime at={topup.created_at} /> },
    topup.paid_at === null
      ? { term: 'Batas bayar', is: <DateTime at={topup.expires_at} /> }
      : { term: 'Lunas', is: <DateTime at={topup.paid_at} /> },
    ...flagFactsOf(gateway?.flag ?? null),
    topup.refund !== null && { term: 'Pengembalian', is: paymentRefundLabel[topup.refund] },
    gateway !== null && {
      term: 'Gerbang',
      is: paymentMethodLabels[gateway.provider] ?? gateway.provider,
    },
    { term: gateway === null ? 'Nomor' : 'Nomor pesanan', is: topup.id },
    gateway !== null &&
      gateway.reference !== null && {
        term: 'Nomor di gerbang',
        is: <Hash>{gateway.reference}</Hash>,
      },
  ];
}
