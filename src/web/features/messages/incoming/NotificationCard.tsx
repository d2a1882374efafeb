import { BellRing } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { storageSet, storageGet } from '#web/browser/storage.ts';
import { askForNotices, useNoticePermission } from '#web/browser/tab/notifications.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { OfferCard } from '#web/ui/panel/OfferCard.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

const LATER = 'notice-card-later';

/**
 * Explains desktop notices before the browser's prompt, which only appears after a click here. It is offered once: a
 * later visit does not repeat what was in view.
 */
export function NoticeCard() {
  const permission = useNoticePermission();
  const [later, setLater] = useState(() => storageGet('browser', LATER) !== undefined);
  const card = useRef<HTMLDivElement>(null);
  const isShown = permission === 'default' && !later;
  useEffect(() => {
    if (!card.current) return;
    const watcher = new IntersectionObserver((entries) => {
      if (entries.some((one) => one.isIntersecting)) storageSet('browser', LATER, '1');
    });
    watcher.observe(card.current);
    return () => watcher.disconnect();
  }, [isShown]);
  if (!isShown) return null;
  const putOff = () => {
    storageSet('browser', LATER, '1');
    setLater(true);
  };
  const ask = async () => {
    // Prompt at once: the browser requires a recent click.
    const answer = await askForNotices();
    if (answer === 'denied') {
      toast('Browser memblokir pemberitahuan. Izinkan lewat setelan situs ini bila diperlukan.');
    }
    if (answer !== 'granted') return;
    toast('Pemberitahuan aktif di browser ini.', { tone: 'success' });
    await import('#web/features/push/push.ts')
      .then(({ enablePush }) => enablePush())
      .catch(() => undefined);
  };
  return (
    <div ref={card}>
      <OfferCard
        label="Pemberitahuan pesan baru"
        icon={<BellRing size={20} />}
        title="Tetap tahu ada pesan baru, walau Kabari sedang ditutup."
        onLater={putOff}
        action={
          <Button size="sm" variant="subtle" onClick={() => void ask()}>
            Aktifkan pemberitahuan
          </Button>
        }
      >
        Pemberitahuan hanya menyebut pengirimnya, bukan isi pesannya.
      </OfferCard>
    </div>
  );
}
