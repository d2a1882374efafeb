import { isolated } from '#contract/base/names.ts';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import type { OperatorThread } from '#contract/operator/support.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { Loaded } from '#web/features/operator/form/Loaded.tsx';
import { goInbox } from '#web/features/operator/support/address.ts';
import { CustomerPanel } from '#web/features/operator/support/customer/CustomerPanel.tsx';
import { threadQuery } from '#web/features/operator/support/queries.ts';
import { noticeTag } from '#web/features/operator/support/inboxNews.ts';
import { Answer } from '#web/features/operator/support/thread/Answer.tsx';
import { openThread } from '#web/features/operator/support/thread/openThread.ts';
import { takeFocus } from '#web/ui/chat/thread/boxFocus.ts';
import { useTellLooking } from '#web/features/operator/support/thread/OthersHere.tsx';
import styles from '#web/features/operator/support/thread/Thread.module.css';
import { ThreadEnd, ThreadTools } from '#web/features/operator/support/thread/ThreadTools.tsx';
import { useThreadActs } from '#web/features/operator/support/thread/useThreadActs.ts';
import { Avatar } from '#web/ui/avatar/Avatar.tsx';
import { closeSupportNotices } from '#web/features/support/support.ts';
import { threadBack, ThreadHead } from '#web/ui/chat/thread/ThreadHead.tsx';
import { ThreadSkeleton } from '#web/ui/chat/thread/ThreadSkeleton.tsx';
import { useKeyboardInset } from '#web/ui/chat/thread/useKeyboardInset.ts';
import { useMedia } from '#web/ui/layout/useMedia.ts';
import { Drawer } from '#web/ui/overlay/Modal.tsx';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';

export function Thread({ accountId }: { accountId: string }) {
  const panes = useRef<HTMLDivElement>(null);
  const query = useQuery(threadQuery(accountId));
  const { data: thread, error } = query;
  const acts = useThreadActs(accountId);
  const roomy = useMedia('(min-width: 1280px)');
  const [customer, setCustomer] = useState(false);
  useKeyboardInset(panes);
  useTellLooking(accountId);
  useEffect(() => {
    openThread.set(accountId);
    const stop = panes.current ? takeFocus(panes.current) : undefined;
    return () => {
      stop?.();
      openThread.set(undefined);
    };
  }, [accountId]);
  useNoticesClosed(accountId, thread?.last_seq);
  return (
    <div ref={panes} className={styles['panes']}>
      {/* Escape bubbles up from the focused element. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <section
        className={styles['thread']}
        aria-label={`Percakapan ${isolated(thread?.account_name ?? '')}`}
        data-thread
        onKeyDown={(event) => leave(event, accountId)}
      >
        <Head thread={thread}>
          {thread && (
            <ThreadEnd
              thread={thread}
              acts={acts}
              onCustomer={roomy ? undefined : () => setCustomer(true)}
            />
          )}
        </Head>
        {thread && <ThreadTools thread={thread} acts={acts} />}
        {!thread && error ? (
          <WentWrong message={sentenceOf(error)} onRetry={() => void query.refetch()} />
        ) : (
          <Suspense fallback={<ThreadSkeleton />}>
            <Answer accountId={accountId} thread={thread} />
          </Suspense>
        )}
      </section>
      {roomy && (thread || !error) && (
        <aside className={styles['customer']} aria-label="Pelanggan">
          <Loaded query={query}>{(data) => <CustomerPanel thread={data} />}</Loaded>
        </aside>
      )}
      {thread && (
        <Drawer
          open={customer && !roomy}
          onClose={() => setCustomer(false)}
          size="sm"
          title="Pelanggan"
        >
          <CustomerPanel thread={thread} />
        </Drawer>
      )}
    </div>
  );
}

function useNoticesClosed(accountId: string, newest: number | undefined): void {
  useEffect(() => {
    const seen = () => closeSupportNotices(noticeTag(accountId));
    seen();
    document.addEventListener('visibilitychange', seen);
    return () => document.removeEventListener('visibilitychange', seen);
  }, [accountId, newest]);
}

/** Escape focuses the thread's row in the queue; if the queue is hidden, it closes the thread. */
function leave(event: KeyboardEvent, accountId: string): void {
  if (event.key !== 'Escape' || event.defaultPrevented || document.querySelector('dialog[open]'))
    return;
  event.preventDefault();
  const row = document.querySelector<HTMLElement>(`[data-account="${accountId}"]`);
  if (row && row.getClientRects().length > 0) row.focus();
  else goInbox({ open: undefined });
}

type HeadProps = { thread: OperatorThread | undefined; children: ReactNode };

function Head({ thread, children }: HeadProps) {
  const name = thread?.account_name ?? '';
  return (
    <ThreadHead
      back={
        <Link
          to="/operator/layanan"
          change={{ open: undefined }}
          {...threadBack('Kembali ke antrean')}
        />
      }
      avatar={<Avatar name={name} decorative />}
      name={name || 'Percakapan'}
      about={thread && (thread.phone || 'Tanpa nomor')}
    >
      {children}
    </ThreadHead>
  );
}
