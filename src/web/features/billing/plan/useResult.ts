import { useEffect, useRef, useState } from 'react';

/**
 * Announces the result of the last change at the top of the page. Focus moves there once the dialog is closed, as the
 * element that opened it may be gone.
 */
export function useResult() {
  const [result, setResult] = useState<{ sentence: string }>();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!result) return;
    let frame = 0;
    const go = () => {
      if (document.querySelector('dialog[open]')) frame = requestAnimationFrame(go);
      else place.current?.focus();
    };
    frame = requestAnimationFrame(go);
    return () => cancelAnimationFrame(frame);
  }, [result]);
  return {
    result: result?.sentence,
    place,
    show: (sentence: string) => setResult({ sentence }),
    forget: () => setResult(undefined),
  };
}
