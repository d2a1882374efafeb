import { QrImage } from '#web/ui/qr/QrImage.tsx';
import { useEffect, useRef } from 'react';
import { drawQr } from '#web/ui/qr/qrPicture.ts';

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

/** The channel on which simulated phones in other tabs look for a QR. */
const CHANNEL = 'kabari-kamera';

/**
 * Offers the picture of a QR to the cameras of simulated phones in other tabs: a PNG, sent when it changes and on
 * request. Never the text: a camera has to read the picture.
 *
 * @param text the content of the QR; `undefined` while none is shown.
 * @param onMissed a camera looked and there was none; the next one is offered as soon as it is there.
 */
function useCameraOffer(text: string | undefined, onMissed: () => void): void {
  const offered = useRef<string>(undefined);
  const channel = useRef<BroadcastChannel>(undefined);
  const missed = useRef(onMissed);
  useEffect(() => {
    missed.current = onMissed;
  });

  useEffect(() => {
    if (!('BroadcastChannel' in window)) return;
    const opened = new BroadcastChannel(CHANNEL);
    channel.current = opened;
    opened.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (!isQuestion(data)) return;
      if (offered.current) opened.postMessage(offer(offered.current));
      else missed.current();
    });
    return () => {
      channel.current = undefined;
      opened.close();
    };
  }, []);

  useEffect(() => {
    if (text === undefined) return;
    const png = drawQr(text).toDataURL('image/png');
    offered.current = png;
    channel.current?.postMessage(offer(png));
    return () => {
      offered.current = undefined;
    };
  }, [text]);
}

const offer = (png: string) => ({ type: 'gambar-qr', png });

const isQuestion = (data: unknown): boolean =>
  typeof data === 'object' && data !== null && 'type' in data && data.type === 'minta-gambar';
