import { lazy, Suspense, useState } from 'react';
import { useStore } from '#web/browser/store.ts';
import { toasts } from '#web/ui/toast/toasts.ts';

const Toaster = lazy(async () => ({
  default: (await import('#web/ui/toast/Toaster.tsx')).Toaster,
}));

/** Where toasts appear; their code arrives with the first of them, and stays. */
export function ToastHost() {
  const any = useStore(toasts).length > 0;
  const [needed, setNeeded] = useState(any);
  if (any && !needed) setNeeded(true);
  return needed && <Suspense fallback={null}>{<Toaster />}</Suspense>;
}
