import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronUp } from 'lucide-react';
import { Suspense, useEffect, useRef } from 'react';
import { singleKeys } from '#web/browser/singleKeys.ts';
import { whenIdle } from '#web/browser/scheduling/whenIdle.ts';
import { messageQuery } from '#web/features/messages/queries.ts';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { later } from '#web/browser/lazyComponent.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { Drawer } from '#web/ui/overlay/Modal.tsx';
import { Stack } from '#web/ui/panel/Panel.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

const MessageDetails = later(() => import('#web/features/messages/details/MessageDetails.tsx'));

type Props = {
  id: string | undefined;
  /** The messages of the list in order, for the previous and next buttons. */
  ids: readonly string[];
  onStep: (id: string) => void;
  /** The list is loaded, so the details may load too. */
  ready: boolean;
  onClose: () => void;
};

export function MessageDrawer({ id, ids, ready, onStep, onClose }: Props) {
  useEffect(() => (ready ? whenIdle(() => void MessageDetails.bring()) : undefined), [ready]);
  const at = id === undefined ? -1 : ids.indexOf(id);
  const [before, after] = at === -1 ? [] : [ids[at - 1], ids[at + 1]];
  useStepKeys({ before, after, onStep });
  return (
    <Drawer
      addressed
      open={id !== undefined}
      onClose={onClose}
      title="Rincian pesan"
      tools={at !== -1 && <Steps before={before} after={after} onStep={onStep} />}
    >
      {id !== undefined && <Content key={id} id={id} />}
    </Drawer>
  );
}

type Stepping = {
  before: string | undefined;
  after: string | undefined;
  onStep: (id: string) => void;
};

const Steps = ({ before, after, onStep }: Stepping) => (
  <>
    <Button
      square
      size="sm"
      variant="link"
      tone="neutral"
      aria-label="Pesan sebelumnya"
      aria-keyshortcuts="k"
      disabled={before === undefined}
      onClick={() => before !== undefined && onStep(before)}
    >
      <ChevronUp size={18} />
    </Button>
    <Button
      square
      size="sm"
      variant="link"
      tone="neutral"
      aria-label="Pesan berikutnya"
      aria-keyshortcuts="j"
      disabled={after === undefined}
      onClick={() => after !== undefined && onStep(after)}
    >
      <ChevronDown size={18} />
    </Button>
  </>
);

/** j and k open the next and the previous message, unless something covers the drawer. */
function useStepKeys(stepping: Stepping): void {
  const newest = useRef(stepping);
  useEffect(() => {
    newest.current = stepping;
  });
  const open = stepping.before !== undefined || stepping.after !== undefined;
  useEffect(() => {
    if (!open) return;
    const press = (event: KeyboardEvent) => {
      const { before, after, onStep } = newest.current;
      const to = event.key === 'j' ? after : event.key === 'k' ? before : undefined;
      if (to === undefined || event.defaultPrevented || !singleKeys()) return;
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      if (event.target instanceof Element && event.target.closest(TAKES_KEYS)) return;
      if (document.querySelectorAll('dialog[open]').length > 1) return;
      event.preventDefault();
      onStep(to);
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [open]);
}

const TAKES_KEYS = 'input, textarea, select, [contenteditable], [role="menu"], [role="listbox"]';

function Content({ id }: { id: string }) {
  const { data: message, error, refetch } = useQuery(messageQuery(id));
  useEffect(() => void MessageDetails.bring(), []);
  if (error && !message) return <WentWrong query={{ error, refetch }} />;
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
