import { useQuery } from '@tanstack/react-query';
import { Suspense, useEffect } from 'react';
import { sentenceOf } from '#web/api/errors.ts';
import { whenIdle } from '#web/browser/scheduling/whenIdle.ts';
import { messageQuery } from '#web/features/messages/queries.ts';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { later } from '#web/browser/lazyComponent.ts';
import { Drawer } from '#web/ui/overlay/Modal.tsx';
import { Stack } from '#web/ui/panel/Panel.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

/** How a message is shown whole is brought when the list is there: it does without. */
const MessageDetails = later(
  async () => (await import('#web/features/messages/details/MessageDetails.tsx')).MessageDetails,
);

type Props = {
  /** The message whose details are open; `undefined` for none. */
  id: string | undefined;
  /** The list is there: from now on one may be opened. */
  ready: boolean;
  onClose: () => void;
};

/** Everything about one message, beside the table. */
export function MessageDrawer({ id, ready, onClose }: Props) {
  useEffect(() => (ready ? whenIdle(() => void MessageDetails.bring()) : undefined), [ready]);
  return (
    <Drawer addressed open={id !== undefined} onClose={onClose} title="Rincian pesan">
      {id !== undefined && <Content id={id} />}
    </Drawer>
  );
}

function Content({ id }: { id: string }) {
  const { data: message, error, refetch } = useQuery(messageQuery(id));
  // Beside the message, not after it.
  useEffect(() => void MessageDetails.bring(), []);
  if (error && !message)
    return <WentWrong message={sentenceOf(error)} onRetry={() => void refetch()} />;
  if (!message) return <LoadingRows />;
  return (
    <Suspense fallback={<LoadingRows />}>
      <MessageDetails message={message} />
    </Suspense>
  );
}

const LoadingRows = () => (
  <div aria-busy="true">
    <Stack gap={24}>
      <Skeleton height={72} />
      <Skeleton lines={4} />
      <Skeleton height={160} />
    </Stack>
  </div>
);
