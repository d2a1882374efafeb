import { isolated } from '#contract/base/names.ts';
import { useQueryClient } from '@tanstack/react-query';
import { formatRupiah } from '#contract/base/money.ts';
import {
  confirmTopup,
  type OperatorTopup,
  operatorTopups,
  rejectTopup,
} from '#contract/operator/payments.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { listKey } from '#web/ui/table/list/useList.ts';
import { useAct } from '#web/api/query.ts';
import { useForm } from '#web/ui/form/useForm.ts';
import { type FieldErrors, fieldErrors } from '#web/ui/form/fieldErrors.ts';
import { BankLines, OTHER } from '#web/features/operator/topups/BankLines.tsx';
import styles from '#web/features/operator/topups/Decision.module.css';
import {
  differenceOf,
  mayConfirm,
  mayReject,
  takesTwo,
} from '#web/features/operator/topups/topups.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { TextArea } from '#web/ui/text/TextField.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

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
  const client = useQueryClient();
  const form = useForm<Values>(firstValues(topup), (values) => wrongWith(topup, values));
  const approve = useAct(confirmTopup);
  const reject = useAct(rejectTopup);

  const decide = async (work: () => Promise<OperatorTopup>, said: string) => {
    try {
      const after = await work();
      onDecided(after);
      const isProposed = after.proposal !== null && mayConfirm(after);
      toast(isProposed ? 'Usulan dicatat. Operator lain harus menyelesaikannya.' : said, {
        tone: isProposed ? 'info' : 'success',
      });
    } catch (no) {
      form.refuse(no);
      throw no;
    } finally {
      void client.invalidateQueries({ queryKey: listKey(operatorTopups) });
    }
  };
  const askConfirm = (values: Values) => {
    const { reason } = values;
    const input = { topup_id: topup.id, reference: referenceOf(values), reason };
    void confirm({
      title: proposes(topup, values) ? 'Usulkan konfirmasi ini?' : 'Konfirmasi isi saldo ini?',
      children: proposes(topup, values)
        ? 'Jumlahnya besar dan tidak ada mutasi bank yang sama persis: operator lain harus menyelesaikannya. Saldo belum bertambah.'
        : consequenceOf(topup, values.line),
      cancelText: 'Batal',
      confirmText: proposes(topup, values) ? 'Usulkan' : 'Konfirmasi',
      tone: 'primary',
      sentenceOf,
      onConfirm: () => decide(() => approve.perform(input), 'Isi saldo dikonfirmasi.'),
    });
  };
  const askReject = () => {
    const input = { topup_id: topup.id, reason: form.values.reason };
    const wrong = fieldErrors(rejectTopup, input);
    if (Object.keys(wrong).length > 0) return form.show(wrong);
    void confirm({
      title: 'Tolak isi saldo ini?',
      children: `${isolated(topup.account_name)} membaca alasan Anda. Saldonya tidak bertambah.`,
      cancelText: 'Batal',
      confirmText: 'Tolak',
      sentenceOf,
      onConfirm: () => decide(() => reject.perform(input), 'Isi saldo ditolak.'),
    });
  };
  return { form, askConfirm, askReject };
}

/** Confirms or rejects a top-up, with the reason that the audit log stores. */
export function Decision({ topup, onDecided }: Props) {
  const { form, askConfirm, askReject } = useDecision({ topup, onDecided });
  return (
    <form
      ref={form.ref}
      noValidate
      className={styles['decision']}
      onSubmit={form.submit(askConfirm)}
    >
      <SecondOperator topup={topup} line={form.values.line} />
      <BankLines
        topup={topup}
        line={form.values.line}
        reference={form.values.reference}
        errors={form.errors}
        onLine={(line) => form.set('line', line)}
        onReference={(reference) => form.set('reference', reference)}
      />
      <TextArea
        label="Alasan"
        name="reason"
        rows={2}
        required
        maxLength={300}
        help="Tercatat bersama nama Anda; bila ditolak, pelanggan membacanya."
        value={form.values.reason}
        error={form.errors.reason}
        onChange={(event) => form.set('reason', event.target.value)}
        onBlur={() => form.leave('reason')}
      />
      <div className={styles['actions']}>
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
