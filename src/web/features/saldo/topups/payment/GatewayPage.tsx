import { ExternalLink } from 'lucide-react';
import type { Topup } from '#contract/saldo.ts';
import styles from '#web/features/saldo/saldo.module.css';
import { Amount } from '#web/features/saldo/topups/payment/Amount.tsx';
import { CheckPaid } from '#web/features/saldo/topups/payment/CheckPaid.tsx';
import { AnchorButton } from '#web/ui/button/Button.tsx';

export const GatewayPage = ({ topup, url }: { topup: Topup; url: string }) => (
  <>
    <Amount topup={topup} />
    <AnchorButton
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      size="lg"
      block
      icon={<ExternalLink size={18} />}
    >
      Buka halaman pembayaran<span className="sr-only"> (tab baru)</span>
    </AnchorButton>
    <ol className={styles['next']}>
      <li>Pilih cara bayar di halaman itu: kartu, dompet digital, gerai, dan lainnya.</li>
      <li>Sesudah membayar, kembali ke sini. Halaman ini otomatis menjadi Lunas.</li>
    </ol>
    <CheckPaid topup={topup} />
  </>
);
