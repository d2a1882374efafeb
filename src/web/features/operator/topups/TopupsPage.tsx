import { Download } from 'lucide-react';
import { paymentRefundLabel } from '#contract/operator/books.ts';
import {
  type OperatorTopup,
  operatorTopups,
  checkTopupAtGateway,
  confirmTopup,
  rejectTopup,
} from '#contract/operator/payments.ts';
import { topupMethodLabel, topupStatusLabel } from '#contract/saldo.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import styles from '#web/features/operator/operator.module.css';
import { Hash, OperatorFrame } from '#web/features/operator/OperatorFrame.tsx';
import { amountColumn, momentColumn, OperatorList } from '#web/features/operator/OperatorList.tsx';
import { optionsOf } from '#web/ui/select/options.ts';
import { GiveBack } from '#web/features/operator/suspense/GiveBack.tsx';
import {
  filterOf,
  mayConfirm,
  offerOf,
  paymentMethodLabels,
  wordOf,
  differenceOf,
  mayReject,
  takesTwo,
} from '#web/features/operator/topups/topups.ts';
import { inFours, topupTone } from '#web/features/saldo/saldo.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { ImageZoom } from '#web/ui/media/ImageZoom.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { type FactList, Facts, Stack } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { DateTime } from '#web/ui/time/DateTime.tsx';
import { useQueryClient } from '@tanstack/react-query';
import { formatRupiah } from '#contract/base/money.ts';
import { isolated } from '#contract/base/names.ts';
import { useAct } from '#web/api/query.ts';
import { whenOf } from '#web/features/operator/bank/bank.ts';
import { Candidate, Choice, Choices } from '#web/features/operator/Choices.tsx';
import {
  OperatorForm,
  ReasonField,
  useConfirmedAct,
} from '#web/features/operator/OperatorForm.tsx';
import { isOperatorQuery } from '#web/features/operator/operatorQuery.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { classes } from '#web/ui/classes.ts';
import { type FieldErrors, fieldErrors } from '#web/ui/form/fieldErrors.ts';
import { type Form, useForm } from '#web/ui/form/useForm.ts';
import { TextField } from '#web/ui/text/TextField.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

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
        {method !== 'bank' && (
          <span className="small faint regular">{topupMethodLabel[method]}</span>
        )}
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
      if (method !== 'bank') return <span className="faint">Lewat gerbang</span>;
      if (!slip) return <span className="faint">Belum ada</span>;
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
      if (!offer && (isOver || row.method !== 'bank')) return <span className="faint">—</span>;
      if (!offer) return <span className="faint">Belum ada</span>;
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
    <div className="flex wrap align-baseline justify-between gap-8 gap-x-16">
      <p className="figure">
        <Money amount={topup.total} />
      </p>
      <Status status={topup.status} />
    </div>
    {topup.note && <p className="note-box">{topup.note}</p>}
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
    <section className="grid gap-10" aria-label="Bukti transfer">
      <p className="strong">
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
          className={styles['picture']}
          expandText="Perbesar"
          minimizeText="Perkecil"
        />
      ) : (
        <a
          className="inline-flex align-center gap-8 text-accent break-anywhere min-h-44"
          href={url}
          download={name}
        >
          <Download size={18} />
          <bdi>{name}</bdi>
        </a>
      )}
      <p className="small faint regular">
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

/** The choice of a reference typed by hand. */
const OTHER = 'lain';

type Values = { line: string; reference: string; reason: string };
type Props = { topup: OperatorTopup; onDecided: (topup: OperatorTopup) => void };

const referenceOf = ({ line, reference }: Values): string => (line === OTHER ? reference : line);

/** Errors of a confirmation; a missing selection is reported at the entry. */
function wrongWith(topup: OperatorTopup, values: Values): FieldErrors {
  const { line, reason } = values;
  const input = { topup_id: topup.id, reference: referenceOf(values), reason };
  const wrong = fieldErrors(confirmTopup, input);
  if (line !== '') return wrong;
  const { reference: _, ...others } = wrong;
  return { ...others, line: 'Pilih mutasi bank yang menjadi pembayarannya.' };
}

/**
 * The initial values: another operator's proposal; else the entry of the exact amount; without entries a typed
 * reference.
 */
function firstValues({ candidates, total, proposal }: OperatorTopup): Values {
  if (proposal) {
    const known = candidates.some(({ line }) => line === proposal.reference);
    return known
      ? { line: proposal.reference, reference: '', reason: '' }
      : { line: OTHER, reference: proposal.reference, reason: '' };
  }
  const exact = candidates.find(({ amount }) => amount === total);
  const line = exact?.line ?? (candidates.length > 0 ? '' : OTHER);
  return { line, reference: '', reason: '' };
}

function proposes(topup: OperatorTopup, values: Values): boolean {
  const { proposal } = topup;
  if (!takesTwo(topup, values.line)) return false;
  return proposal === null || proposal.mine || proposal.reference !== referenceOf(values);
}

function useDecision({ topup, onDecided }: Props) {
  const form = useForm<Values>(firstValues(topup), (values) => wrongWith(topup, values));
  const approve = useConfirmedAct(confirmTopup);
  const reject = useConfirmedAct(rejectTopup);
  const askConfirm = (values: Values) => {
    const isProposal = proposes(topup, values);
    const { reason } = values;
    approve(
      { topup_id: topup.id, reference: referenceOf(values), reason },
      {
        title: isProposal ? 'Usulkan konfirmasi ini?' : 'Konfirmasi isi saldo ini?',
        text: isProposal
          ? 'Jumlahnya besar dan tidak ada mutasi bank yang sama persis: operator lain harus menyelesaikannya. Saldo belum bertambah.'
          : consequenceOf(topup, values.line),
        button: isProposal ? 'Usulkan' : 'Konfirmasi',
        said: (after) =>
          after.proposal !== null && mayConfirm(after)
            ? 'Usulan dicatat. Operator lain harus menyelesaikannya.'
            : 'Isi saldo dikonfirmasi.',
        onDone: onDecided,
        onError: form.refuse,
      },
    );
  };
  const askReject = () => {
    const input = { topup_id: topup.id, reason: form.values.reason };
    const wrong = fieldErrors(rejectTopup, input);
    if (Object.keys(wrong).length > 0) return form.show(wrong);
    reject(input, {
      ...rejection(topup),
      said: 'Isi saldo ditolak.',
      onDone: onDecided,
      onError: form.refuse,
    });
  };
  return { form, askConfirm, askReject };
}

const rejection = ({ account_name }: OperatorTopup) => ({
  title: 'Tolak isi saldo ini?',
  text: `${isolated(account_name)} membaca alasan Anda. Saldonya tidak bertambah.`,
  button: 'Tolak',
  tone: 'danger' as const,
});

/** Confirms or rejects a top-up, with the reason that the audit log stores. */
function Decision({ topup, onDecided }: Props) {
  const { form, askConfirm, askReject } = useDecision({ topup, onDecided });
  return (
    <form
      ref={form.ref}
      noValidate
      className={classes(styles['form'], 'border-y', styles['ruled'])}
      onSubmit={form.submit(askConfirm)}
    >
      <SecondOperator topup={topup} line={form.values.line} />
      <BankLines topup={topup} form={form} />
      <ReasonField
        form={form}
        help="Tercatat bersama nama Anda; bila ditolak, pelanggan membacanya."
      />
      <div className="flex wrap justify-end gap-8">
        {mayReject(topup) && (
          <Button variant="outline" tone="danger" onClick={askReject}>
            Tolak
          </Button>
        )}
        <Button type="submit">
          {proposes(topup, form.values) ? 'Usulkan konfirmasi' : 'Konfirmasi'}
        </Button>
      </div>
    </form>
  );
}

type BankLinesProps = { topup: OperatorTopup; form: Form<Values> };

/** The unused bank entries near a top-up's amount, or a reference typed by hand. */
const BankLines = ({ topup, form }: BankLinesProps) => (
  <Stack>
    <Choices legend="Mutasi bank yang mungkin" error={form.errors.line}>
      {topup.candidates.length === 0 && (
        <p className="muted">
          Belum ada mutasi bank yang mendekati jumlah ini. Tulis referensinya bila Anda melihatnya
          di rekening.
        </p>
      )}
      {topup.candidates.map(({ line, amount, description, at }) => (
        <Choice
          key={line}
          name="line"
          checked={line === form.values.line}
          onChoose={() => form.set('line', line)}
        >
          <span className="sr-only">Transfer masuk</span>
          <Candidate amount={amount} paid={amount} requested={topup.total}>
            {description} · {whenOf(at)}
          </Candidate>
        </Choice>
      ))}
      {topup.candidates.length > 0 && (
        <Choice
          name="line"
          checked={form.values.line === OTHER}
          onChoose={() => form.set('line', OTHER)}
        >
          <span>Mutasi lain, saya tulis referensinya</span>
        </Choice>
      )}
    </Choices>
    {form.values.line === OTHER && (
      <TextField
        label="Referensi mutasi bank"
        autoComplete="off"
        required
        maxLength={100}
        {...form.field('reference')}
      />
    )}
  </Stack>
);

function SecondOperator({ topup, line }: { topup: OperatorTopup; line: string }) {
  const { proposal } = topup;
  if (proposal) {
    return (
      <Alert
        state="info"
        visible
        label={
          <>
            {proposal.mine ? 'Anda' : proposal.by} mengusulkan konfirmasi ini pada{' '}
            <DateTime at={proposal.at} />:{' '}
            {line === proposal.reference ? 'mutasi yang terpilih' : proposal.reference}.{' '}
            {proposal.mine
              ? 'Operator lain yang harus menyelesaikannya.'
              : 'Periksa sendiri, lalu konfirmasi untuk menyelesaikannya.'}
          </>
        }
      >
        Alasan: {proposal.reason}
      </Alert>
    );
  }
  return (
    <Alert
      state="info"
      visible={takesTwo(topup, line)}
      label="Jumlah sebesar ini perlu dua operator, kecuali ada mutasi bank yang sama persis."
    />
  );
}

function consequenceOf(topup: OperatorTopup, line: string): string {
  const candidate = topup.candidates.find((one) => one.line === line);
  const whose = `saldo ${isolated(topup.account_name)}`;
  if (candidate && !differenceOf(candidate.amount, topup.total).exact) {
    const { words } = differenceOf(candidate.amount, topup.total);
    return `Transfer yang masuk ${formatRupiah(candidate.amount)}, ${words} dari tagihan. Sejumlah itulah yang masuk ke ${whose}, dan tidak dapat ditarik kembali.`;
  }
  return `${formatRupiah(topup.credited)} masuk ke ${whose} dan tidak dapat ditarik kembali.`;
}

type GatewayProps = Props & { provider: string };

/** An order, whose gateway alone decides whether it is paid: it can be queried or given up. */
function AtGateway({ topup, provider, onDecided }: GatewayProps) {
  const client = useQueryClient();
  const asking = useAct(checkTopupAtGateway);
  const ask = async () => {
    const after = await asking.perform({ topup_id: topup.id });
    toast(`Gerbang sudah ditanya: ${topupStatusLabel[after.status].toLowerCase()}.`, {
      tone: after.status === topup.status ? 'info' : 'success',
    });
    onDecided(after);
    void client.invalidateQueries({ predicate: isOperatorQuery });
  };
  return (
    <div className={styles['form']}>
      <p className="muted">{adviceOf(topup, paymentMethodLabels[provider] ?? provider)}</p>
      <RefusalAlert error={asking.error} />
      {topup.status !== 'creating' && (
        <div className="flex wrap justify-end gap-8">
          <Button
            variant="outline"
            tone="primary"
            busy={asking.busy}
            onClick={() => void ask().catch(() => undefined)}
          >
            Tanya gerbang lagi
          </Button>
        </div>
      )}
      {topup.status === 'review' && <Reject topup={topup} onDecided={onDecided} />}
    </div>
  );
}

function adviceOf({ status }: OperatorTopup, gateway: string): string {
  switch (status) {
    case 'creating':
    case 'pending':
      return `Tidak ada yang perlu dilakukan: saldo bertambah otomatis begitu ${gateway} menyatakan pesanan ini lunas.`;
    case 'review':
      return `${gateway} menerima jumlah yang berbeda, atau masih memeriksa pembayarannya. Lihat di dasbor ${gateway}, lalu tanyakan lagi. Bila isi saldo ini ditolak, uang yang diterima ${gateway} masuk ke Dana belum dikenali.`;
    case 'expired':
    case 'cancelled':
      return `Bila pembayarannya terlambat masuk, saldo tetap bertambah setelah ${gateway} menyatakannya lunas.`;
    case 'rejected':
      return `Uang yang masih diterima ${gateway} untuk isi saldo ini masuk ke Dana belum dikenali.`;
    case 'paid':
      return `${gateway} menyatakan pesanan ini lunas.`;
  }
}

const Reject = ({ topup, onDecided }: Props) => (
  <OperatorForm
    act={rejectTopup}
    initial={{ reason: '' }}
    inputOf={({ reason }) => ({ topup_id: topup.id, reason })}
    question={() => rejection(topup)}
    said="Isi saldo ditolak."
    onDone={onDecided}
    reasonHelp="Tercatat bersama nama Anda; pelanggan membacanya."
    actions="Tolak"
    look={{ variant: 'outline', tone: 'danger' }}
  />
);
