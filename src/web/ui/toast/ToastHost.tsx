import { useEffect, useState, type ComponentType } from 'react';
import { useStore } from '#web/browser/store.ts';
import { toasts } from '#web/ui/toast/toasts.ts';

const RETRY_MS = 3_000;

/**
 * Hosts the toasts; their code loads with the first one. Toasts are likeliest while the server is unreachable, when
 * loading fails: it is retried, and nothing else on the screen breaks.
 */
export function ToastHost() {
  const isAny = useStore(toasts).length > 0;
  const [Toaster, setToaster] = useState<ComponentType>();
  useEffect(() => {
    if (!isAny || Toaster) return undefined;
    let retry: ReturnType<typeof setTimeout> | undefined;
    const bring = () => {
      import('#web/ui/toast/Toaster.tsx').then(
        (arrived) => setToaster(() => arrived.Toaster),
        () => (retry = setTimeout(bring, RETRY_MS)),
      );
    };
    bring();
    return () => clearTimeout(retry);
  }, [isAny, Toaster]);
  return Toaster && <Toaster />;
}
