import { useCameraOffer } from '#web/features/scan/useCameraOffer.ts';
import { QrImage } from '#web/ui/qr/QrImage.tsx';

export const QR_PX = 264;

type Props = {
  text: string;
  stale: boolean;
  /** Phones of this installation are simulated: their cameras are in other tabs. */
  simulated: boolean;
  onMissed: () => void;
};

/** The current QR, loaded with its drawing code only after the consent. */
export function LiveQr({ text, stale, simulated, onMissed }: Props) {
  useCameraOffer(simulated && !stale ? text : undefined, onMissed);
  return (
    <div className="w-fit max-w-full mx-auto">
      <QrImage
        text={text}
        size={QR_PX}
        alt={`Kode QR untuk dipindai dengan ${simulated ? 'ponsel simulasi' : 'WhatsApp'}`}
        cover={stale && 'Memperbarui kode…'}
      />
    </div>
  );
}
