import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { Send, KeyRound } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { MessageTable } from '#web/features/messages/history/MessageTable.tsx';
import { MessagesHead, useHeadLabel } from '#web/features/messages/MessagesHead.tsx';
import { NoticeCard } from '#web/features/messages/incoming/NotificationCard.tsx';
import { Button, LinkButton } from '#web/ui/button/Button.tsx';
import split from '#web/ui/layout/layout.module.css';
import { classes } from '#web/ui/classes.ts';
import { ChatRowsLoading } from '#web/ui/chat/list/ChatList.tsx';
import { SplitView } from '#web/ui/layout/SplitView.tsx';
import { useQuery } from '@tanstack/react-query';
import { canSend } from '#web/features/messages/queries.ts';
import { allTokensQuery } from '#web/api/allTokens.ts';
import type { SendFormProps } from '#web/features/messages/send/SendForm.tsx';
import { EmptyState, WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { later } from '#web/browser/lazyComponent.ts';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { FormSkeleton } from '#web/ui/skeleton/Skeleton.tsx';

const ConversationsView = lazy(async () => ({
  default: (await import('#web/features/messages/conversations/ConversationsView.tsx'))
    .ConversationsView,
}));

/** Route `/message-history`: the account's messages, as a table or as conversations. */
export function MessagesPage() {
  const search = useSearch('/message-history');
  const sending = (open: boolean) =>
    void navigate({
      to: '/message-history',
      change: { new: open ? '1' : undefined },
      replace: !open,
      resetScroll: false,
    });
  const label = useHeadLabel('Kirim pesan');
  const conversations = search.view === 'percakapan';
  const inThread = conversations && search.open !== undefined && search.peer !== undefined;
  return (
    <div className={classes(conversations && split['full'])}>
      <MessagesHead
        current={conversations ? 'conversations' : 'table'}
        className={classes(inThread && classes('sr-only-below-768', split['aboveDetail']))}
        action={<Button {...label} icon={<Send size={18} />} onClick={() => sending(true)} />}
      />
      {conversations ? (
        <Suspense
          fallback={<SplitView list={<ChatRowsLoading />} detail={undefined} none={null} />}
        >
          <ConversationsView onSend={() => sending(true)} />
        </Suspense>
      ) : (
        <MessageTable onSend={() => sending(true)} />
      )}
      <div className="hide-empty mt-16">
        <NoticeCard />
      </div>
      <SendDialog open={search.new === '1'} onClose={() => sending(false)} />
    </div>
  );
}

/** The form and its fields are loaded with the dialog: the list does not need them. */
const SendForm = later(() => import('#web/features/messages/send/SendForm.tsx'));

type Props = { open: boolean; onClose: () => void };

function SendDialog({ open, onClose }: Props) {
  const [busy, setBusy] = useState(false);
  return (
    <Modal addressed open={open} onClose={() => busy || onClose()} title="Kirim pesan">
      {open && <Content onClose={onClose} onBusy={setBusy} />}
    </Modal>
  );
}

function Content({ onClose, onBusy }: Omit<SendFormProps, 'tokens'>) {
  const { data: tokens, error, refetch } = useQuery(allTokensQuery);
  useEffect(() => void SendForm.bring(), []);
  if (!tokens && error) return <WentWrong query={{ error, refetch }} />;
  if (!tokens) return <LoadingRows />;
  const able = tokens.filter(canSend);
  if (able.length === 0) return <NoToken has={tokens.length > 0} />;
  return (
    <Suspense fallback={<LoadingRows />}>
      <SendForm tokens={able} onClose={onClose} onBusy={onBusy} />
    </Suspense>
  );
}

const LoadingRows = () => <FormSkeleton fields={[44, 44, 104]} />;

const NoToken = ({ has }: { has: boolean }) => (
  <EmptyState
    icon={<KeyRound size={24} />}
    title={has ? 'Belum ada nomor yang tersambung' : 'Anda belum memiliki token'}
    action={
      has ? (
        <LinkButton to="/token">Sambungkan nomor</LinkButton>
      ) : (
        <LinkButton to="/token" search={{ view: 'new' }}>
          Tambah token
        </LinkButton>
      )
    }
  >
    Pesan dikirim dari nomor Anda yang tersambung.
  </EmptyState>
);
