import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Code, isGone, Progress, scanQuery } from '#web/features/scan/scan.ts';
import styles from '#web/features/tokens/tokens.module.css';
import { consentScan } from '#contract/scan.ts';
import { useUser } from '#web/api/user.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { checkWith } from '#web/ui/form/formRules.ts';
import { fieldErrors } from '#web/ui/form/fieldErrors.ts';
import { useForm } from '#web/ui/form/useForm.ts';
import { useWide } from '#web/ui/layout/useMedia.ts';
import { PhoneField } from '#web/ui/phone/PhoneField.tsx';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Countdown } from '#web/ui/time/Countdown.tsx';
import { showCountdown } from '#web/ui/time/countdown.ts';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

type Props = {
  path: string;
  nonce: string;
  onEnd: () => void;
  /** Requests another link, with its own QR; with the number of a phone also a pairing code. */
  onRenew: (phone?: string) => void;
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
  const isPhone = !useWide();
  const look = () => void refetch();
  if (!scan) {
    if (error && !over) return <WentWrong query={{ error, refetch }} />;
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
        <Code qr={qr} simulated={simulated} level="h5" onStale={look} onRenew={() => onRenew()} />
      )}
      {state === 'waiting' && isPhone && channel === 'web' && qr?.pairing_code === null && (
        <ByNumber data={data} onRequest={onRenew} />
      )}
      <p className="small faint">
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

type ByNumberProps = { data: string; onRequest: (phone: string) => void };

/** On a phone: the network creates a pairing code for its number. */
function ByNumber({ data, onRequest }: ByNumberProps) {
  const { phone } = useUser();
  const form = useForm(
    { phone },
    checkWith<{ phone: string }>(
      { phone: { required: 'Tulis nomor WhatsApp di ponsel ini.' } },
      (values) => fieldErrors(consentScan, { data, ...values }),
    ),
  );
  return (
    <form
      ref={form.ref}
      noValidate
      className={styles['part']}
      onSubmit={form.submit((values) => onRequest(values.phone))}
    >
      <PhoneField
        label="Atau pakai kode penautan: nomor WhatsApp di ponsel ini"
        required
        {...form.field('phone')}
      />
      <div>
        <Button type="submit" variant="outline">
          Minta kode penautan
        </Button>
      </div>
    </form>
  );
}
