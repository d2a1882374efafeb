import { useEffect, useRef, useState } from 'react';
import styles from '#web/features/support/support.module.css';
import { classes } from '#web/ui/classes.ts';
import type { SupportPort } from '#web/features/support/port.ts';
import { onLiveEvent } from '#web/live/listeners.ts';

/** Typing is reported every two seconds; without a report for this long it has ended. */
const TYPING_MS = 5_000;
const TELL_MS = 2_000;

export function useTypingNow({ side, accountId }: SupportPort): string | undefined {
  const [name, setName] = useState<string>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = () => {
      clearTimeout(timer);
      setName(undefined);
    };
    const isHere = (event: { account_id: string }) =>
      accountId === undefined || event.account_id === accountId;
    const stopTyping = onLiveEvent('support.typing', (event) => {
      if (event.side === side || !isHere(event)) return;
      clearTimeout(timer);
      setName(event.name);
      timer = setTimeout(stop, TYPING_MS);
    });
    const stopLines = onLiveEvent('support.message', (event) => {
      if (event.side !== side && isHere(event)) stop();
    });
    return () => {
      stop();
      stopTyping();
      stopLines();
    };
  }, [side, accountId]);
  return name;
}

/** Returns a function that reports typing to the other side, throttled. */
export function useTellTyping({ typing }: SupportPort): () => void {
  const last = useRef(-Infinity);
  return () => {
    const now = performance.now();
    if (now - last.current < TELL_MS || !navigator.onLine) return;
    last.current = now;
    typing().catch(() => undefined);
  };
}

export const TypingNow = ({ name }: { name: string }) => (
  <p className="row gap-8 small faint py-6" role="status">
    <span
      className={classes('inline-flex gap-4 py-8 px-10 border rounded-full', styles['dots'])}
      aria-hidden="true"
    >
      <i />
      <i />
      <i />
    </span>
    <span>
      <bdi>{name}</bdi> sedang mengetik…
    </span>
  </p>
);
