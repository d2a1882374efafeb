import { useEffect, useRef } from 'react';
import { drawQr } from '#web/ui/qr/qrPicture.ts';

/** The channel on which simulated phones in other tabs look for a QR. */
const CHANNEL = 'kabari-kamera';

/**
 * Offers the picture of a QR to the cameras of simulated phones in other tabs: a PNG, sent when it changes and on
 * request. Never the text: a camera has to read the picture.
 *
 * @param text the content of the QR; `undefined` while none is shown.
 * @param onMissed a camera looked and there was none; the next one is offered as soon as it is there.
 */
export function useCameraOffer(text: string | undefined, onMissed: () => void): void {
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
