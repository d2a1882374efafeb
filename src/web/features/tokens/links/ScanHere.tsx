import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { isGone, scanQuery } from '#web/features/scan/scan.ts';
import { Code, HowTo, Progress } from '#web/features/scan/scan.ts';
import styles from '#web/features/tokens/tokens.module.css';
import { Countdown } from '#web/ui/time/Countdown.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

type Props = {
  path: string;
  nonce: string;
  onEnd: () => void;
};

export function ScanHere({ path, nonce, onEnd }: Props) {
  const data = path.slice('/scan/'.length);
  // Polls on while the simulated phone's tab is in front.
  const { data: scan, error, refetch } = useQuery(scanQuery(data, { nonce, hidden: true }));
  const over = isGone(error) || scan?.state === 'expired';
  useEffect(() => {
    if (over) onEnd();
  }, [over, onEnd]);
  if (!scan) return <Skeleton width={264} height={264} />;
  const { qr, state, channel } = scan;
  const simulated = channel === 'simulator';
  const look = () => void refetch();
  return (
    <>
      <Progress state={state} />
      {state === 'scanned' && (
        <p role="status">Kode sudah terpindai. Tunggu sampai ponsel selesai menyambung.</p>
      )}
      {state === 'waiting' && qr && <Code qr={qr} simulated={simulated} onStale={look} />}
      {state === 'waiting' && <HowTo simulated={simulated} />}
      <p className={styles['note']}>
        Setelah tersambung, token ini dapat mengirim dan membaca pesan nomor itu. Sambungkan dalam{' '}
        <Countdown until={scan.expires_at} onEnd={look} />.
      </p>
    </>
  );
}
