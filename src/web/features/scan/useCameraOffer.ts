import { toDataURL } from 'qrcode';
import { useEffect, useRef } from 'react';

/** Where a simulated phone in another tab looks for something to point its camera at. */
const CHANNEL = 'kabari-kamera';

/**
 * Holds the picture of a QR before the cameras of simulated phones in other tabs: a PNG, offered when
 * it changes and when asked for. Never the text: a camera has to read the picture.
 *
 * @param text what the QR says; `undefined` while there is none to be seen.
 */
export function useCameraOffer(text: string | undefined): void {
  const offered = useRef<string>(undefined);
  useEffect(() => {
    if (text === undefined || !('BroadcastChannel' in window)) return;
    const channel = new BroadcastChannel(CHANNEL);
    const offer = () => {
      if (offered.current) channel.postMessage({ type: 'gambar-qr', png: offered.current });
    };
    let seen = true;
    void picture(text).then((png) => {
      if (!seen) return;
      offered.current = png;
      offer();
    });
    channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (isQuestion(data)) offer();
    });
    return () => {
      seen = false;
      offered.current = undefined;
      channel.close();
    };
  }, [text]);
}

/** Drawn on a canvas as on the screen: dark on white, with its quiet zone. */
const picture = (text: string): Promise<string> =>
  toDataURL(text, { errorCorrectionLevel: 'M', margin: 4, scale: 8 });

const isQuestion = (data: unknown): boolean =>
  typeof data === 'object' && data !== null && 'type' in data && data.type === 'minta-gambar';
