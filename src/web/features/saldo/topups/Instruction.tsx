import { useQueryClient } from '@tanstack/react-query';
import type { Topup } from '#contract/saldo.ts';
import styles from '#web/features/saldo/topups/Instruction.module.css';
import { topupQuery } from '#web/features/saldo/queries.ts';
import { inFours, splitTotal } from '#web/features/saldo/topups/topups.ts';
import { DateTime } from '#web/ui/time/DateTime.tsx';
import { CopyField } from '#web/ui/copy/CopyField.tsx';
import { Countdown } from '#web/ui/time/Countdown.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';

/** How to pay a top-up that waits: the exact amount, the account, how long, and what comes then. */
export function Instruction({ topup }: { topup: Topup }) {
  const client = useQueryClient();
  const { head, tail } = splitTotal(topup.total);
  const { bank } = topup;
  return (
    <div className={styles['steps']}>
      <div className={styles['state']}>
        <StatusChip tone="warning">Menunggu pembayaran</StatusChip>
        <span className={styles['left']}>
          Sisa waktu{' '}
          <strong>
            <Countdown
              until={topup.expires_at}
              onEnd={() =>
                void client.invalidateQueries({ queryKey: topupQuery(topup.id).queryKey })
              }
            />
          </strong>
        </span>
      </div>
      <CopyField
        label="Transfer tepat sejumlah"
        value={String(topup.total)}
        look="amount"
        shown={
          <>
            {head}
            <mark className={styles['code']}>{tail}</mark>
          </>
        }
        help="Tiga angka terakhir harus sama persis: itulah tanda transfer Anda."
      />
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
      <Sum topup={topup} />
      <ol className={styles['next']}>
        <li>
          Transfer dari bank atau dompet digital mana pun, sebelum{' '}
          <DateTime at={topup.expires_at} />.
        </li>
        <li>Saldo bertambah otomatis begitu transfer masuk, biasanya dalam beberapa menit.</li>
        <li>Halaman ini berubah menjadi Lunas tanpa dimuat ulang. Boleh juga ditutup.</li>
      </ol>
    </div>
  );
}

/** Why the amount is what it is. */
const Sum = ({ topup }: { topup: Topup }) => (
  <dl className={styles['sum']}>
    <div>
      <dt>Nominal</dt>
      <dd>
        <Money amount={topup.base} />
      </dd>
    </div>
    {topup.ppn > 0 && (
      <div>
        <dt>PPN</dt>
        <dd>
          <Money amount={topup.ppn} />
        </dd>
      </div>
    )}
    <div>
      <dt>Kode unik</dt>
      <dd>
        <Money amount={topup.unique_code} />
      </dd>
    </div>
    <div className={styles['credited']}>
      <dt>Masuk ke saldo</dt>
      <dd>
        <Money amount={topup.credited} />
      </dd>
    </div>
  </dl>
);
