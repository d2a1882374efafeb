import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { Send } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { MessageTable } from '#web/features/messages/history/MessageTable.tsx';
import { MessagesHead, useHeadLabel } from '#web/features/messages/MessagesHead.tsx';
import { NoticeCard } from '#web/features/messages/incoming/NotificationCard.tsx';
import { SendDialog } from '#web/features/messages/send/SendDialog.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import split from '#web/ui/layout/layout.module.css';
import { classes } from '#web/ui/classes.ts';
import { ChatRowsLoading } from '#web/ui/chat/list/ChatList.tsx';
import { SplitView } from '#web/ui/layout/SplitView.tsx';

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
