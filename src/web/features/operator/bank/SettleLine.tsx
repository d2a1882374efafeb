import { isolated } from '#contract/base/names.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useId } from 'react';
import { formatRupiah } from '#contract/base/money.ts';
import {
  confirmTopup,
  operatorTopups,
  type OperatorBankEntry,
  confirmBothEntries,
  dismissBankEntry,
  listBankEntries,
} from '#contract/operator/payments.ts';
import { topupStatusLabel } from '#contract/saldo.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import styles from '#web/features/operator/bank/BankLineDrawer.module.css';
import choices from '#web/features/operator/form/choices.module.css';
import { differenceOf } from '#web/features/operator/topups/topups.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { fieldErrors } from '#web/ui/form/fieldErrors.ts';
import { useForm } from '#web/ui/form/useForm.ts';
import { Money } from '#web/ui/money/Money.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { listKey } from '#web/ui/table/list/useList.ts';
import { TextArea } from '#web/ui/text/TextField.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

type Values = { topup: string; reason: string };
type Props = {
  line: OperatorBankEntry;
  onSettled: (line: OperatorBankEntry) => void;
  onMatched: () => void;
};

function useSettling({ line, onSettled, onMatched }: Props) {
  const client = useQueryClient();
  const match = useAct(confirmTopup);
  const dismiss = useAct(dismissBankEntry);
  const both = useAct(confirmBothEntries);
  const wrongWith = ({ topup, reason }: Values) =>
    fieldErrors(confirmTopup, { topup_id: topup, reference: line.line, reason });
  const form = useForm<Values>(
    { topup: line.candidates[0]?.topup_id ?? '', reason: '' },
    wrongWith,
  );

  const settle = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (no) {
      form.refuse(no);
      throw no;
    } finally {
      void client.invalidateQueries({ queryKey: listKey(listBankEntries) });
      void client.invalidateQueries({ queryKey: listKey(operatorTopups) });
    }
  };
  const askMatch = ({ topup, reason }: Values) => {
    const candidate = line.candidates.find(({ topup_id }) => topup_id === topup);
    if (!candidate) return;
    void confirm({
      title: 'Cocokkan mutasi ini?',
      children: consequenceOf(line, candidate),
      cancelText: 'Batal',
      confirmText: 'Cocokkan',
      tone: 'primary',
      sentenceOf,
      onConfirm: () =>
        settle(async () => {
          const after = await match.perform({ topup_id: topup, reference: line.line, reason });
          const isPaid = after.status === 'paid';
          toast(
            isPaid
              ? 'Mutasi dicocokkan. Saldo pelanggan bertambah.'
              : 'Usulan dicatat. Operator lain harus menyelesaikannya.',
            { tone: isPaid ? 'success' : 'info' },
          );
          onMatched();
        }),
    });
  };
  const askDismiss = () => {
    const input = { line: line.line, reason: form.values.reason };
    const wrong = fieldErrors(dismissBankEntry, input);
    if (Object.keys(wrong).length > 0) return form.show(wrong);
    askWhetherAside(() =>
      settle(async () => {
        onSettled(await dismiss.perform(input));
        toast('Mutasi dikesampingkan.', { tone: 'success' });
      }),
    );
  };
  const askBoth = () => {
    const input = { line: line.line, reason: form.values.reason };
    const wrong = fieldErrors(confirmBothEntries, input);
    if (Object.keys(wrong).length > 0) return form.show(wrong);
    askWhetherBoth(line, () =>
      settle(async () => {
        onSettled(await both.perform(input));
        toast('Mutasi dinyatakan sebagai uang tersendiri.', { tone: 'success' });
      }),
    );
  };
  return { form, askMatch, askDismiss, askBoth };
}

/** Asks for confirmation before a duplicate counts as a payment of its own. */
function askWhetherBoth({ amount }: OperatorBankEntry, onConfirm: () => Promise<void>): void {
  void confirm({
    title: 'Keduanya ada di bank?',
    children: `Pastikan di situs bank bahwa ${formatRupiah(amount)} memang masuk dua kali pada hari itu. Setelah ini, mutasi ini diperlakukan sebagai uang tersendiri.`,
    cancelText: 'Batal',
    confirmText: 'Keduanya ada',
    tone: 'primary',
    sentenceOf,
    onConfirm,
  });
}

function askWhetherAside(onConfirm: () => Promise<void>): void {
  void confirm({
    title: 'Kesampingkan mutasi ini?',
    children:
      'Mutasi ini tidak lagi ditawarkan untuk isi saldo. Anda masih dapat mencocokkannya dari daftar semua mutasi.',
    cancelText: 'Batal',
    confirmText: 'Kesampingkan',
    tone: 'primary',
    sentenceOf,
    onConfirm,
  });
}

type Candidate = OperatorBankEntry['candidates'][number];

/** The effect of matching; the server decides from which amount another operator must approve. */
function consequenceOf({ amount }: OperatorBankEntry, { account_name, total }: Candidate): string {
  const sentence = `${formatRupiah(amount)} menjadi pembayaran isi saldo ${isolated(account_name)} dan tidak dapat ditarik kembali.`;
  if (amount === total) return sentence;
  return `${sentence} Jumlahnya tidak sama persis dengan tagihan: bila besar, operator lain harus menyelesaikannya.`;
}

export function SettleLine(props: Props) {
  const { line } = props;
  const name = useId();
  const { form, askMatch, askDismiss, askBoth } = useSettling(props);
  const isTwin = line.state === 'twin';
  const hasAny = line.candidates.length > 0 && !isTwin;
  return (
    <form ref={form.ref} noValidate className={styles['form']} onSubmit={form.submit(askMatch)}>
      <fieldset role="radiogroup" className={choices['group']}>
        <legend className={choices['legend']}>Isi saldo yang mungkin</legend>
        {isTwin && (
          <p className={choices['none']}>
            Mutasi lain mempunyai hari dan jumlah yang sama. Mutasi ini menunggu sampai seorang
            operator memastikan di bank bahwa keduanya memang ada. Bila hanya satu yang ada,
            kesampingkan dengan alasannya.
          </p>
        )}
        {!hasAny && !isTwin && (
          <p className={choices['none']}>
            Tidak ada isi saldo yang mendekati jumlah ini. Bila ini bukan isi saldo, kesampingkan
            dengan alasannya.
          </p>
        )}
        {(isTwin ? [] : line.candidates).map((topup) => {
          const { exact, words } = differenceOf(line.amount, topup.total);
          return (
            <label key={topup.topup_id} className={choices['choice']}>
              <input
                type="radio"
                name={name}
                checked={form.values.topup === topup.topup_id}
                onChange={() => form.set('topup', topup.topup_id)}
              />
              <span className={choices['facts']}>
                <Money amount={topup.total} />
                <StatusChip tone={exact ? 'success' : 'warning'}>{words}</StatusChip>
                <span className={choices['who']}>
                  <bdi>{topup.account_name}</bdi> · {topupStatusLabel[topup.status]} ·{' '}
                  <DateTime at={topup.created_at} />
                </span>
              </span>
            </label>
          );
        })}
      </fieldset>
      <TextArea
        label="Alasan"
        name="reason"
        rows={2}
        required
        maxLength={300}
        help="Tercatat bersama nama Anda."
        value={form.values.reason}
        error={form.errors.reason}
        onChange={(event) => form.set('reason', event.target.value)}
        onBlur={() => form.leave('reason')}
      />
      <div className={styles['actions']}>
        {(line.state === 'unmatched' || isTwin) && (
          <Button variant="outline" tone="neutral" onClick={askDismiss}>
            Kesampingkan
          </Button>
        )}
        {hasAny && <Button type="submit">Cocokkan</Button>}
        {isTwin && <Button onClick={askBoth}>Keduanya ada di bank</Button>}
      </div>
    </form>
  );
}
