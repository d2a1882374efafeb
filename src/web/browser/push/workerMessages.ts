/** What the worker sends to a page. */
export type WorkerMessage =
  | {
      kind: 'push';
      id: string;
      title: string;
      body: string;
      url: string;
      /** Whether the worker showed a notice. */
      shown: boolean;
    }
  | { kind: 'go'; url: string }
  | { kind: 'renewed'; token: string };

type MessageOf<Kind extends WorkerMessage['kind']> = Extract<WorkerMessage, { kind: Kind }>;

/** What the worker sends about a push. */
export type PushMessage = MessageOf<'push'>;

/**
 * Calls back when the service worker sends this page a message of a kind.
 *
 * @returns how to stop listening
 */
export function onWorkerMessage<Kind extends WorkerMessage['kind']>(
  kind: Kind,
  listener: (word: MessageOf<Kind>) => void,
): () => void {
  const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer };
  if (!serviceWorker) return () => undefined;
  const receive = ({ data }: MessageEvent<WorkerMessage | null>) => {
    if (data?.kind === kind) listener(data as MessageOf<Kind>);
  };
  serviceWorker.addEventListener('message', receive);
  serviceWorker.startMessages();
  return () => serviceWorker.removeEventListener('message', receive);
}
