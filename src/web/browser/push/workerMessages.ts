import type { WorkerWord } from '#web/service-worker/scope.ts';

type Said<Kind extends WorkerWord['kind']> = Extract<WorkerWord, { kind: Kind }>;

/** What the worker tells of a push. */
export type PushedWord = Said<'push'>;

/**
 * Calls back when the service worker tells this page something of a kind.
 *
 * @returns how to stop listening
 */
export function onWorkerWord<Kind extends WorkerWord['kind']>(
  kind: Kind,
  listener: (word: Said<Kind>) => void,
): () => void {
  const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer };
  if (!serviceWorker) return () => undefined;
  const hear = ({ data }: MessageEvent<WorkerWord | null>) => {
    if (data?.kind === kind) listener(data as Said<Kind>);
  };
  serviceWorker.addEventListener('message', hear);
  serviceWorker.startMessages();
  return () => serviceWorker.removeEventListener('message', hear);
}
