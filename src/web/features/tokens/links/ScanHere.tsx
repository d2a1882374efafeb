import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Code, HowTo, isGone, Progress, scanQuery } from '#web/features/scan/scan.ts';
import styles from '#web/features/tokens/tokens.module.css';
import { sentenceOf } from '#web/api/errors.ts';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Countdown } from '#web/ui/time/Countdown.tsx';
import { showCountdown } from '#web/ui/time/countdown.ts';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

type Props = {
  path: string;
  nonce: string;
  onEnd: () => void;
  /** Requests another link, with its own QR. */
  onRenew: () => void;
};

/** The QR of a link to which this browser has consented, the progress and the time left. */
export function ScanHere({ path, nonce, onEnd, onRenew }: Props) {
  const data = path.slice('/scan/'.length);
  // Polls on while the simulated phone's tab is in front.
  const { data: scan, error, refetch } = useQuery(scanQuery(data, { nonce, hidden: true }));
  const over = isGone(error) || scan?.state === 'expired';
  useEffect(() => {
    if (over) onEnd();
  }, [over, onEnd]);
  const look = () => void refetch();
  if (!scan) {
    if (error && !over) return <WentWrong message={sentenceOf(error)} onRetry={look} />;
    return <Skeleton width={264} height={264} />;
  }
  const { qr, state, channel } = scan;
  const simulated = channel === 'simulator';
  return (
    <>
      <Progress state={state} />
      {state === 'scanned' && (
        <p role="status">Kode sudah terpindai. Tunggu sampai ponsel selesai menyambung.</p>
      )}
      {state === 'waiting' && (
        <Code qr={qr} simulated={simulated} onStale={look} onRenew={onRenew} />
      )}
      {state === 'waiting' && <HowTo simulated={simulated} level="h5" />}
      <p className={styles['note']}>
        Setelah tersambung, token ini dapat mengirim dan membaca pesan nomor itu.{' '}
        <Countdown
          until={scan.expires_at}
          onEnd={look}
          show={(seconds) => `Sambungkan dalam ${showCountdown(seconds)}.`}
          ended="Waktunya habis."
        />
      </p>
    </>
  );
}
