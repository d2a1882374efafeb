import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect } from 'react';
import { sentenceOf } from '#web/client/errors.ts';
import { messageQuery } from '#web/features/messages/queries.ts';
import { WentWrong } from '#web/ui/EmptyState.tsx';
import { Drawer } from '#web/ui/overlays/Modal.tsx';
import { Stack } from '#web/ui/Panel.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';

/** How a message is shown whole is brought when somebody opens one: the list does without. */
const details = () => import('#web/features/messages/MessageDetails.tsx');
const MessageDetails = lazy(async () => ({ default: (await details()).MessageDetails }));

type Props = {
  /** The message whose details are open; `undefined` for none. */
  id: string | undefined;
  onClose: () => void;
};

/** Everything about one message, beside the table. */
export const MessageDrawer = ({ id, onClose }: Props) => (
  <Drawer open={id !== undefined} onClose={onClose} title="Rincian pesan">
    {id !== undefined && <Content id={id} />}
  </Drawer>
);

function Content({ id }: { id: string }) {
  const { data: message, error, refetch } = useQuery(messageQuery(id));
  // Beside the message, not after it.
  useEffect(() => void details().catch(() => undefined), []);
  if (error && !message)
    return <WentWrong message={sentenceOf(error)} onRetry={() => void refetch()} />;
  if (!message) return <Bones />;
  return (
    <Suspense fallback={<Bones />}>
      <MessageDetails message={message} />
    </Suspense>
  );
}

const Bones = () => (
  <div aria-busy="true">
    <Stack gap={24}>
      <Skeleton height={72} />
      <Skeleton lines={4} />
      <Skeleton height={160} />
    </Stack>
  </div>
);
