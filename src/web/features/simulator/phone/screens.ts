import { useCallback, useEffect, useRef, useState } from 'react';

/** Pages that show a QR offer its picture here, and the simulated cameras listen. */
const CHANNEL = 'kabari-kamera';
const ANSWER_MS = 1_500;
const IN_SIGHT_MS = 60_000;
const PNG = 'data:image/png;base64,';
const PICTURE_MAX = 1_000_000;

/** The picture in a message of the channel; `undefined` for anything else. */
export function pictureIn(message: unknown): string | undefined {
  if (typeof message !== 'object' || message === null) return undefined;
  const { type, png } = message as { type?: unknown; png?: unknown };
  if (type !== 'gambar-qr' || typeof png !== 'string') return undefined;
  return png.startsWith(PNG) && png.length <= PICTURE_MAX ? png : undefined;
}

export type Screens = {
  inSight: boolean;
  /** The picture that a page offers on request; `undefined` when none answers. */
  look: () => Promise<string | undefined>;
  lookAway: () => void;
};

/** Pictures that other tabs of this browser offer to a camera, never their text. */
export function useScreens(): Screens {
  const channel = useRef<BroadcastChannel>(undefined);
  const waiting = useRef(new Set<(png: string) => void>());
  const [inSight, setInSight] = useState(false);
  useEffect(() => {
    const opened = new BroadcastChannel(CHANNEL);
    let gone: ReturnType<typeof setTimeout> | undefined;
    opened.onmessage = ({ data }: MessageEvent<unknown>) => {
      const png = pictureIn(data);
      if (!png) return;
      for (const take of waiting.current) take(png);
      setInSight(true);
      clearTimeout(gone);
      gone = setTimeout(() => setInSight(false), IN_SIGHT_MS);
    };
    channel.current = opened;
    opened.postMessage({ type: 'minta-gambar' });
    return () => {
      clearTimeout(gone);
      opened.close();
      channel.current = undefined;
    };
  }, []);

  const look = useCallback(async () => {
    const png = await new Promise<string | undefined>((resolve) => {
      const late = setTimeout(() => resolve(undefined), ANSWER_MS);
      waiting.current.add((picture) => {
        clearTimeout(late);
        resolve(picture);
      });
      channel.current?.postMessage({ type: 'minta-gambar' });
    });
    waiting.current.clear();
    setInSight(png !== undefined);
    return png;
  }, []);
  const lookAway = useCallback(() => setInSight(false), []);
  return { inSight, look, lookAway };
}
