import { useEffect, useRef, useState } from 'react';
import { showCountdown } from '#web/ui/time/countdown.ts';

type Props = {
  until: Date;
  onEnd?: () => void;
  /** Shown at zero instead of `00.00`. */
  ended?: string;
  /** The sentence with the remaining seconds; omitted: `04.59`. */
  show?: (seconds: number) => string;
};

/** The remaining time, `04.59`, by the clock instead of counted ticks. */
export function Countdown({ until, onEnd, ended, show = showCountdown }: Props) {
  const end = until.getTime();
  const [left, setLeft] = useState(() => secondsTo(end));
  const atEnd = useRef(onEnd);
  useEffect(() => {
    atEnd.current = onEnd;
  });
  useEffect(() => {
    const look = () => {
      const seconds = secondsTo(end);
      setLeft(seconds);
      if (seconds > 0) return;
      clearInterval(timer);
      atEnd.current?.();
    };
    const timer = setInterval(look, 250);
    look();
    return () => clearInterval(timer);
  }, [end]);
  return (
    <time className="num" role="timer" aria-live="off">
      {left <= 0 && ended !== undefined ? ended : show(left)}
    </time>
  );
}

const secondsTo = (end: number): number => Math.max(0, Math.ceil((end - Date.now()) / 1000));
