import type { Topup } from '#contract/saldo.ts';
import styles from '#web/features/saldo/saldo.module.css';
import { classes } from '#web/ui/classes.ts';
import { Proof } from '#web/features/saldo/topups/payment/Proof.tsx';
import { inFours, splitTotal } from '#web/features/saldo/topups/topups.ts';
import { CopyField } from '#web/ui/copy/CopyField.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

/** The exact amount and the account; takes a slip for a manual review. */
export function BankTransfer({ topup }: { topup: Topup }) {
  const { head, tail } = splitTotal(topup.total);
  const { bank } = topup;
  return (
    <>
      <CopyField
        label="Transfer tepat sejumlah"
        value={String(topup.total)}
        look="amount"
        shown={
          <>
            {head}
            <mark className={classes('rounded-sm solid-warning', styles['code'])}>{tail}</mark>
          </>
        }
        help="Tiga angka terakhir harus sama persis: itulah tanda transfer Anda."
      />
      {bank && (
        <CopyField
          label={`Nomor rekening ${bank.name}`}
          value={bank.number}
          look="amount"
          shown={inFours(bank.number)}
          help={
            <>
              Atas nama <strong>{bank.holder}</strong>
            </>
          }
        />
      )}
      <ol className={styles['next']}>
        <li>
          Transfer dari bank atau dompet digital mana pun, sebelum{' '}
          <DateTime at={topup.expires_at} />.
        </li>
        <li>
          Saldo bertambah begitu transfer Anda kami temukan di mutasi bank. Bila terasa lama, kirim
          bukti transfernya di bawah.
        </li>
        <li>Halaman ini otomatis menjadi Lunas, dan boleh Anda tutup.</li>
      </ol>
      <Proof topup={topup} />
    </>
  );
}
