import { useEffect, useRef } from 'react';
import { type VideoSource, openVideoSource } from './videoSources.ts';
import { readFrame } from './pictures.ts';

const LOOK_MS = 300;

type Props = {
  kind: VideoSource;
  onText: (text: string) => void;
  onFailure: (sentence: string) => void;
};

export function LiveVideo({ kind, onText, onFailure }: Props) {
  const screen = useRef<HTMLVideoElement>(null);
  const callbacks = useRef({ onText, onFailure });
  useEffect(() => {
    callbacks.current = { onText, onFailure };
  });
  useEffect(() => {
    let stream: MediaStream | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let over = false;
    const look = async () => {
      const text = screen.current && (await readFrame(screen.current));
      if (over) return;
      if (text) callbacks.current.onText(text);
      else timer = setTimeout(() => void look(), LOOK_MS);
    };
    const start = async () => {
      stream = await openVideoSource(kind);
      if (over || !screen.current) return stop();
      screen.current.srcObject = stream;
      await screen.current.play();
      await look();
    };
    const stop = () => {
      over = true;
      clearTimeout(timer);
      for (const track of stream?.getTracks() ?? []) track.stop();
    };
    start().catch(() => {
      if (!over)
        callbacks.current.onFailure(
          'Kamera tidak dapat dibuka. Izinkan di browser, atau pilih gambar.',
        );
    });
    return stop;
  }, [kind]);
  return <video ref={screen} muted playsInline aria-label="Yang dilihat kamera" />;
}
