import { Download } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { formatRupiah } from '#contract/base/money.ts';
import type { Topup } from '#contract/saldo.ts';
import styles from '#web/features/saldo/saldo.module.css';
import { Amount } from '#web/features/saldo/topups/payment/Amount.tsx';
import { CheckPaid } from '#web/features/saldo/topups/payment/CheckPaid.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { saveFile } from '#web/ui/copy/saveFile.ts';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

// Loaded with its drawing code as a chunk of its own.
const QrImage = lazy(async () => ({
  default: (await import('#web/ui/qr/QrImage.tsx')).QrImage,
}));

/** In px: large enough for a camera at arm's length. */
const SIDE = 280;

/** The code on screen; on the paying phone itself, as a picture to open in the bank's app. */
export function QrisPayment({ topup, qr }: { topup: Topup; qr: string }) {
  const save = async () => {
    const { qrPicture } = await import('#web/ui/qr/qrPicture.ts');
    saveFile(`QRIS ${topup.id}.png`, await qrPicture(qr));
  };
  return (
    <>
      <div className="grid justify-items-center gap-14">
        <Suspense fallback={<Skeleton width={SIDE} height={SIDE} />}>
          <QrImage
            size={SIDE}
            text={qr}
            alt={`Kode QRIS untuk membayar ${formatRupiah(topup.total)}`}
          />
        </Suspense>
        <Button
          variant="outline"
          tone="neutral"
          icon={<Download size={18} />}
          onClick={() => void save()}
        >
          Simpan gambar QR
        </Button>
      </div>
      <Amount topup={topup} />
      <ol className={styles['next']}>
        <li>Buka aplikasi bank atau dompet digital, lalu pilih Bayar atau QRIS.</li>
        <li>
          Pindai kodenya. Di ponsel yang sama: simpan gambarnya, lalu pilih dari galeri di aplikasi
          itu.
        </li>
        <li>Periksa jumlahnya, lalu bayar. Halaman ini otomatis menjadi Lunas.</li>
      </ol>
      <CheckPaid topup={topup} />
    </>
  );
}
