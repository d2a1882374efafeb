import { Download, Smartphone } from 'lucide-react';
import { install, putOffInstall, useInstallOffer } from '#web/browser/install/install.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { OfferCard } from '#web/ui/panel/OfferCard.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

/** Offers the app to active returning visitors; shows steps where the browser installs by hand. */
export function InstallCard() {
  const way = useInstallOffer();
  if (!way) return null;
  const take = async () => {
    if (await install()) toast('Kabari terpasang di perangkat ini.', { tone: 'success' });
  };
  return (
    <OfferCard
      label="Pasang Kabari"
      icon={way === 'button' ? <Download size={20} /> : <Smartphone size={20} />}
      title="Pasang Kabari seperti aplikasi lain."
      onLater={putOffInstall}
      action={
        way === 'button' && (
          <Button size="sm" variant="subtle" onClick={() => void take()}>
            Pasang
          </Button>
        )
      }
    >
      {way === 'button'
        ? 'Terbuka dari layar utama, di jendelanya sendiri.'
        : 'Ketuk Bagikan di Safari, pilih “Tambahkan ke Layar Utama”, lalu buka dari sana agar pemberitahuan dapat diaktifkan.'}
    </OfferCard>
  );
}
