import { useEffect, useRef, useState } from 'react';

/**
 * What came of the last change, told at the top of the page: the focus goes there once the dialog that
 * asked is gone, as what had opened it may be gone with it.
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
