export type WorkerMessage =
  | {
      kind: 'push';
      id: string;
      title: string;
      body: string;
      url: string;
      /** Whether the worker showed a notification. */
      shown: boolean;
    }
  | { kind: 'go'; url: string }
  | { kind: 'renewed'; token: string };

type MessageOf<Kind extends WorkerMessage['kind']> = Extract<WorkerMessage, { kind: Kind }>;

export type PushMessage = MessageOf<'push'>;

/**
 * Listens for worker messages of one kind.
 *
 * @returns the stop function
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
