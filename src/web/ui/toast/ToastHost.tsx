import { lazy, Suspense, useSyncExternalStore } from 'react';
import { toasts } from '#web/ui/toast/toasts.ts';

const Toaster = lazy(async () => ({
  default: (await import('#web/ui/toast/Toaster.tsx')).Toaster,
}));

let everSaid = false;
function anythingYet(): boolean {
  everSaid ||= toasts.now().length > 0;
  return everSaid;
}

/** Where toasts appear; their code arrives with the first of them. */
export function ToastPlace() {
  const needed = useSyncExternalStore(toasts.subscribe, anythingYet);
  return needed && <Suspense fallback={null}>{<Toaster />}</Suspense>;
}
