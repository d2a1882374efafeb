import { FileUp } from 'lucide-react';
import { useId, useState } from 'react';
import { formatRupiah } from '#contract/base/money.ts';
import { isolated } from '#contract/base/names.ts';
import {
  type OperatorBankEntry,
  confirmBothEntries,
  confirmTopup,
  dismissBankEntry,
  listBankEntries,
} from '#contract/operator/payments.ts';
import { topupStatusLabel } from '#contract/saldo.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { optionsOf } from '#web/ui/select/options.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import {
  aboutLine,
  maySettle,
  stateLabel,
  stateTone,
  whenOf,
} from '#web/features/operator/bank/bank.ts';
import { Candidate, Choice, Choices } from '#web/features/operator/Choices.tsx';
import styles from '#web/features/operator/operator.module.css';
import { ReasonField, useConfirmedAct } from '#web/features/operator/OperatorForm.tsx';
import { OperatorFrame } from '#web/features/operator/OperatorFrame.tsx';
import { amountColumn, OperatorList } from '#web/features/operator/OperatorList.tsx';
import { Button, LinkButton } from '#web/ui/button/Button.tsx';
import { classes } from '#web/ui/classes.ts';
import { fieldErrors } from '#web/ui/form/fieldErrors.ts';
import { useForm } from '#web/ui/form/useForm.ts';
import { CurrencyField } from '#web/ui/money/CurrencyField.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { type FactList, Facts } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { DateTime } from '#web/ui/time/DateTime.tsx';

const State = ({ state }: Pick<OperatorBankEntry, 'state'>) => (
  <StatusChip tone={stateTone[state]}>{stateLabel[state]}</StatusChip>
);

const filters = optionsOf('Belum cocok', { semua: 'Semua mutasi' });

const columns: readonly Column<OperatorBankEntry>[] = [
  {
    id: 'description',
    title: 'Keterangan bank',
    width: 280,
    phone: 'title',
    // The sender's name stands at its end.
    cell: ({ description }) => (
      <span className="break-anywhere ws-normal">{description || '—'}</span>
    ),
  },
  {
    id: 'at',
    title: 'Tanggal',
    sortable: true,
    width: 170,
    phone: 'line',
    cell: ({ at }) => whenOf(at),
  },
  amountColumn('amount', ({ amount }) => amount),
  { id: 'state', title: 'Status', width: 160, phone: 'note', cell: State },
  { id: 'about', title: 'Isi saldo', width: 200, phone: 'fact', cell: aboutLine },
];

const go = (amount: number | undefined): void =>
  void navigate({
    to: '/operator/mutasi-bank',
    change: { page: undefined, amount },
    resetScroll: false,
  });

/** Route `/operator/mutasi-bank`: incoming bank entries, unsettled ones first. */
export function BankLinesPage() {
  const { filter, amount } = useSearch('/operator/mutasi-bank');
  const input = {
    filter: filter === 'semua' ? ('all' as const) : ('unmatched' as const),
    ...(amount !== undefined && amount > 0 && { amount: String(amount) }),
  };
  return (
    <OperatorFrame
      title="Mutasi bank"
      context="Uang masuk di rekening isi saldo. Yang belum cocok menunggu Anda."
      action={
        <LinkButton to="/operator/mutasi-bank/impor" icon={<FileUp size={18} />}>
          Impor mutasi
        </LinkButton>
      }
    >
      <OperatorList
        to="/operator/mutasi-bank"
        act={listBankEntries}
        input={input}
        caption="Mutasi bank"
        columns={columns}
        rowKey={({ line }) => line}
        filters={[
          (hideLabel) => <AmountFilter key={amount} amount={amount} hideLabel={hideLabel} />,
          { name: 'filter', label: 'Tampilkan', options: filters },
        ]}
        resets={['amount']}
        reset="Hapus pencarian"
        empty={{
          title: 'Tidak ada mutasi yang menunggu',
          text: 'Impor mutasi terbaru dari bank untuk mencocokkannya.',
        }}
        drawer={{
          name: 'Mutasi bank',
          title: () => 'Mutasi bank',
          missing: 'Mutasi ini tidak ada di halaman yang sedang ditampilkan.',
          children: (line, { show, close }) => (
            <>
              <div className="flex wrap align-baseline justify-between gap-8 gap-x-16">
                <p className="figure">
                  <Money amount={line.amount} />
                </p>
                <State state={line.state} />
              </div>
              <p className="break-anywhere ws-normal">{line.description || 'Tanpa keterangan'}</p>
              {maySettle(line) && <SettleLine line={line} onSettled={show} onMatched={close} />}
              <Facts facts={factsOf(line)} />
            </>
          ),
        }}
      />
    </OperatorFrame>
  );
}

type AmountProps = { amount: number | undefined; hideLabel: boolean };

function AmountFilter({ amount, hideLabel }: AmountProps) {
  const [typed, setTyped] = useState(amount);
  const apply = () => {
    if (typed !== amount) go(typed || undefined);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <CurrencyField
        label="Cari jumlah"
        hideLabel={hideLabel}
        placeholder="Cari jumlah"
        value={typed}
        onChange={setTyped}
        onBlur={apply}
        maxLength={12}
      />
    </form>
  );
}

function factsOf({
  at,
  received_at,
  reference,
  topup,
  dismissed,
  twin,
}: OperatorBankEntry): FactList {
  return [
    { term: 'Tanggal di bank', is: whenOf(at) },
    { term: 'Diterima Kabari', is: <DateTime at={received_at} /> },
    reference !== '' && { term: 'Referensi bank', is: reference },
    twin && {
      term: 'Sama hari dan jumlahnya dengan',
      is: `${twin.description || 'Tanpa keterangan'} (${whenOf(twin.at)})`,
    },
    topup && {
      term: 'Isi saldo',
      is: (
        <Link to="/operator/isi-saldo" search={{ open: topup.id, status: 'semua' }}>
          {topup.account_name}
        </Link>
      ),
    },
    dismissed && { term: 'Dikesampingkan oleh', is: dismissed.by },
    dismissed && { term: 'Pada', is: <DateTime at={dismissed.at} /> },
    dismissed && { term: 'Alasan', is: dismissed.reason },
  ];
}

type Values = { topup: string; reason: string };
type SettleProps = {
  line: OperatorBankEntry;
  onSettled: (line: OperatorBankEntry) => void;
  onMatched: () => void;
};

function useSettling({ line, onSettled, onMatched }: SettleProps) {
  const match = useConfirmedAct(confirmTopup);
  const dismiss = useConfirmedAct(dismissBankEntry);
  const both = useConfirmedAct(confirmBothEntries);
  const form = useForm<Values>(
    { topup: line.candidates[0]?.topup_id ?? '', reason: '' },
    ({ topup, reason }) =>
      fieldErrors(confirmTopup, { topup_id: topup, reference: line.line, reason }),
  );
  const askMatch = ({ topup, reason }: Values) => {
    const candidate = line.candidates.find(({ topup_id }) => topup_id === topup);
    if (!candidate) return;
    match(
      { topup_id: topup, reference: line.line, reason },
      {
        title: 'Cocokkan mutasi ini?',
        text: consequenceOf(line, candidate),
        button: 'Cocokkan',
        said: ({ status }) =>
          status === 'paid'
            ? 'Mutasi dicocokkan. Saldo pelanggan bertambah.'
            : 'Usulan dicatat. Operator lain harus menyelesaikannya.',
        onDone: onMatched,
        onError: form.refuse,
      },
    );
  };
  /** Settles it without a top-up. */
  const askAlone = (
    [act, ask]:
      | [typeof dismissBankEntry, typeof dismiss]
      | [typeof confirmBothEntries, typeof both],
    question: { title: string; text: string; button: string; said: string },
  ) => {
    const input = { line: line.line, reason: form.values.reason };
    const wrong = fieldErrors(act, input);
    if (Object.keys(wrong).length > 0) return form.show(wrong);
    ask(input, { ...question, onDone: onSettled, onError: form.refuse });
  };
  const askDismiss = () =>
    askAlone([dismissBankEntry, dismiss], {
      title: 'Kesampingkan mutasi ini?',
      text: 'Mutasi ini tidak lagi ditawarkan untuk isi saldo. Anda masih dapat mencocokkannya dari daftar semua mutasi.',
      button: 'Kesampingkan',
      said: 'Mutasi dikesampingkan.',
    });
  const askBoth = () =>
    askAlone([confirmBothEntries, both], {
      title: 'Keduanya ada di bank?',
      text: `Pastikan di situs bank bahwa ${formatRupiah(line.amount)} memang masuk dua kali pada hari itu. Setelah ini, mutasi ini diperlakukan sebagai uang tersendiri.`,
      button: 'Keduanya ada',
      said: 'Mutasi dinyatakan sebagai uang tersendiri.',
    });
  return { form, askMatch, askDismiss, askBoth };
}

/** The effect of matching; the server decides from which amount another operator must approve. */
function consequenceOf(
  { amount }: OperatorBankEntry,
  { account_name, total }: OperatorBankEntry['candidates'][number],
): string {
  const sentence = `${formatRupiah(amount)} menjadi pembayaran isi saldo ${isolated(account_name)} dan tidak dapat ditarik kembali.`;
  if (amount === total) return sentence;
  return `${sentence} Jumlahnya tidak sama persis dengan tagihan: bila besar, operator lain harus menyelesaikannya.`;
}

function SettleLine(props: SettleProps) {
  const { line } = props;
  const name = useId();
  const { form, askMatch, askDismiss, askBoth } = useSettling(props);
  const isTwin = line.state === 'twin';
  const hasAny = line.candidates.length > 0 && !isTwin;
  return (
    <form
      ref={form.ref}
      noValidate
      className={classes(styles['form'], 'border-y', styles['ruled'])}
      onSubmit={form.submit(askMatch)}
    >
      <Choices legend="Isi saldo yang mungkin">
        {isTwin && (
          <p className="muted">
            Mutasi lain mempunyai hari dan jumlah yang sama. Mutasi ini menunggu sampai seorang
            operator memastikan di bank bahwa keduanya memang ada. Bila hanya satu yang ada,
            kesampingkan dengan alasannya.
          </p>
        )}
        {!hasAny && !isTwin && (
          <p className="muted">
            Tidak ada isi saldo yang mendekati jumlah ini. Bila ini bukan isi saldo, kesampingkan
            dengan alasannya.
          </p>
        )}
        {(isTwin ? [] : line.candidates).map((topup) => (
          <Choice
            key={topup.topup_id}
            name={name}
            checked={form.values.topup === topup.topup_id}
            onChoose={() => form.set('topup', topup.topup_id)}
          >
            <Candidate amount={topup.total} paid={line.amount} requested={topup.total}>
              <bdi>{topup.account_name}</bdi> · {topupStatusLabel[topup.status]} ·{' '}
              <DateTime at={topup.created_at} />
            </Candidate>
          </Choice>
        ))}
      </Choices>
      <ReasonField form={form} help="Tercatat bersama nama Anda." />
      <div className="flex wrap justify-end gap-8">
        {(line.state === 'unmatched' || isTwin) && (
          <Button variant="outline" onClick={askDismiss}>
            Kesampingkan
          </Button>
        )}
        {hasAny && <Button type="submit">Cocokkan</Button>}
        {isTwin && <Button onClick={askBoth}>Keduanya ada di bank</Button>}
      </div>
    </form>
  );
}
