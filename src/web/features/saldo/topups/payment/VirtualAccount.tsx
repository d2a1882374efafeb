import type { Topup } from '#contract/saldo.ts';
import styles from '#web/features/saldo/saldo.module.css';
import { Amount } from '#web/features/saldo/topups/payment/Amount.tsx';
import { CheckPaid } from '#web/features/saldo/topups/payment/CheckPaid.tsx';
import { inFours } from '#web/features/saldo/topups/topups.ts';
import { CopyField } from '#web/ui/copy/CopyField.tsx';
import { Accordion, AccordionPart } from '#web/ui/disclosure/Accordion.tsx';

const bankNames: Readonly<Record<string, string>> = { cimb: 'CIMB Niaga', permata: 'Permata' };

type Props = { topup: Topup; va: NonNullable<Topup['va']> };

export const VirtualAccount = ({ topup, va }: Props) => (
  <>
    <CopyField
      label={`Nomor virtual account ${bankNames[va.bank] ?? va.bank.toUpperCase()}`}
      value={va.number}
      look="amount"
      shown={inFours(va.number)}
    />
    <Amount topup={topup} />
    <Accordion exclusive>
      <AccordionPart title="Lewat m-banking" open>
        <ol className={styles['next']}>
          <li>Masuk ke aplikasi bank Anda, lalu pilih Transfer atau Bayar, dan Virtual Account.</li>
          <li>
            Tempel nomor di atas. Jumlahnya muncul otomatis, atau ketik tepat seperti di atas.
          </li>
          <li>Periksa jumlahnya, lalu setujui dengan PIN Anda.</li>
        </ol>
      </AccordionPart>
      <AccordionPart title="Lewat ATM">
        <ol className={styles['next']}>
          <li>
            Masukkan kartu dan PIN, pilih Transaksi lainnya, Transfer, lalu Virtual Account{' '}
            {va.bank}.
          </li>
          <li>Ketik nomor di atas, lalu pilih Benar.</li>
          <li>Periksa jumlahnya, lalu pilih Ya. Simpan struknya sampai saldo bertambah.</li>
        </ol>
      </AccordionPart>
      <AccordionPart title="Dari bank lain">
        <ol className={styles['next']}>
          <li>Pilih Transfer antarbank (bukan BI-FAST), tujuan {va.bank}.</li>
          <li>Ketik nomor di atas sebagai rekening tujuan, dan jumlah tepat seperti di atas.</li>
          <li>Biaya transfer antarbank ditentukan bank Anda.</li>
        </ol>
      </AccordionPart>
    </Accordion>
    <CheckPaid topup={topup} />
  </>
);
