import { useQueryClient } from '@tanstack/react-query';
import { formatRupiah } from '#contract/base/money.ts';
import { isolated } from '#contract/base/names.ts';
import {
  checkTopupAtGateway,
  confirmTopup,
  type OperatorTopup,
  rejectTopup,
} from '#contract/operator/payments.ts';
import { topupStatusLabel } from '#contract/saldo.ts';
import { useAct } from '#web/api/query.ts';
import { whenOf } from '#web/features/operator/bank/bank.ts';
import { Candidate, Choice, Choices } from '#web/features/operator/Choices.tsx';
import styles from '#web/features/operator/operator.module.css';
import {
  OperatorForm,
  ReasonField,
  useConfirmedAct,
} from '#web/features/operator/OperatorForm.tsx';
import { isOperatorQuery } from '#web/features/operator/operatorQuery.ts';
import {
  differenceOf,
  mayConfirm,
  mayReject,
  paymentMethodLabels,
  takesTwo,
} from '#web/features/operator/topups/topups.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { classes } from '#web/ui/classes.ts';
import { type FieldErrors, fieldErrors } from '#web/ui/form/fieldErrors.ts';
import { type Form, useForm } from '#web/ui/form/useForm.ts';
import { Stack } from '#web/ui/panel/Panel.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

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
export function Decision({ topup, onDecided }: Props) {
  const { form, askConfirm, askReject } = useDecision({ topup, onDecided });
  return (
    <form
      ref={form.ref}
      noValidate
      className={classes(styles['form'], styles['ruled'])}
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
export function AtGateway({ topup, provider, onDecided }: GatewayProps) {
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
