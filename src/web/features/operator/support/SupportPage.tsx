import { MessageSquareText, MessagesSquare } from 'lucide-react';
import { Id } from '#contract/base/ids.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { NoticeCard } from '#web/features/messages/messages.ts';
import { cannedReplies, goInbox } from '#web/features/operator/support/inbox.ts';
import { RepliesDialog } from '#web/ui/chat/replies/RepliesDialog.tsx';
import { Queue } from '#web/features/operator/support/Queue.tsx';
import styles from '#web/features/operator/support/support.module.css';
import { Thread } from '#web/features/operator/support/Thread.tsx';
import { SupportChat } from '#web/features/support/support.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { classes } from '#web/ui/classes.ts';
import split from '#web/ui/layout/layout.module.css';
import { PageHead } from '#web/ui/layout/PageHead.tsx';
import { SplitView } from '#web/ui/layout/SplitView.tsx';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';

void SupportChat.bring();

/** Route `/operator/layanan`: support threads, the queue beside the open thread. */
export function SupportPage() {
  const { open, replies } = useSearch('/operator/layanan');
  const account = Id('account').safeParse(open);
  const accountId = account.success ? account.data : undefined;
  return (
    <div className={split['full']}>
      <div className={classes(styles['above'], accountId !== undefined && split['aboveDetail'])}>
        <PageHead
          title="Layanan Pelanggan"
          action={
            <Button
              variant="outline"
              tone="neutral"
              icon={<MessageSquareText size={18} aria-hidden="true" />}
              onClick={() => goInbox({ replies: '1' })}
            >
              Jawaban siap pakai
            </Button>
          }
        />
        <NoticeCard />
      </div>
      <SplitView
        wideList
        list={<Queue />}
        detail={accountId && <Thread key={accountId} accountId={accountId} />}
        none={
          <EmptyState icon={<MessagesSquare size={24} />} title="Pilih percakapan">
            J dan K berpindah di antrean, Enter membuka, garis miring mencari.
          </EmptyState>
        }
      />
      {replies && (
        <RepliesDialog
          addressed
          of={cannedReplies}
          onClose={() => goInbox({ replies: undefined })}
        />
      )}
    </div>
  );
}
