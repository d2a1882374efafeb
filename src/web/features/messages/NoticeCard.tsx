import { BellRing } from 'lucide-react';
import { useState } from 'react';
import { keep, kept } from '#web/client/kept.ts';
import { askForNotices, useNoticePermission } from '#web/client/notices.ts';
import styles from '#web/features/messages/NoticeCard.module.css';
import { Button } from '#web/ui/Button.tsx';
import { toast } from '#web/ui/toasts.ts';

const LATER = 'notice-card-later';

/** Explains desktop notices before the browser asks: its question is only put after a click here. */
export function NoticeCard() {
  const permission = useNoticePermission();
  const [later, setLater] = useState(() => kept('browser', LATER) !== undefined);
  if (permission !== 'default' || later) return null;
  const putOff = () => {
    keep('browser', LATER, '1');
    setLater(true);
  };
  const ask = async () => {
    const answer = await askForNotices();
    if (answer === 'granted') toast('Pemberitahuan aktif di peramban ini.', { tone: 'success' });
    if (answer === 'denied') {
      toast('Peramban memblokir pemberitahuan. Izinkan lewat setelan situs ini bila diperlukan.');
    }
  };
  return (
    <section className={styles['card']} aria-label="Pemberitahuan pesan baru">
      <BellRing size={20} className={styles['icon']} aria-hidden="true" />
      <p className={styles['words']}>
        <strong>Ketahui pesan baru tanpa melihat tab ini.</strong> Pemberitahuan hanya menyebut
        pengirimnya, bukan isi pesannya.
      </p>
      <span className={styles['actions']}>
        <Button size="sm" variant="link" tone="neutral" onClick={putOff}>
          Nanti saja
        </Button>
        <Button size="sm" variant="subtle" onClick={() => void ask()}>
          Aktifkan pemberitahuan
        </Button>
      </span>
    </section>
  );
}
