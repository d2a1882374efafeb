import { Download, Megaphone, MessagesSquare, Table2, UserX } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from '#web/features/messages/messages.module.css';
import { classes } from '#web/ui/classes.ts';
import { PageHead } from '#web/ui/layout/PageHead.tsx';
import { useWide } from '#web/ui/layout/useMedia.ts';
import { TabLink, TabLinks } from '#web/ui/tabs/Tabs.tsx';

type Current = 'conversations' | 'table' | 'campaigns' | 'exports' | 'optouts';

type Props = {
  current: Current;
  /** The page's main action; its label is `useHeadLabel`. */
  action?: ReactNode;
  className?: string | undefined;
};

/** The head of all pages of messages. On phones it is one line: the tabs, and the action as an icon. */
export const MessagesHead = ({ current, action, className }: Props) => (
  <div className={classes(styles['head'], className)}>
    <PageHead title="Pesan" titleClass="sr-only-below-768" action={action} />
    <MessageTabs current={current} />
  </div>
);

/** The label of a button in the head: hidden on phones. */
export function useHeadLabel(label: string) {
  return useWide() ? { children: label } : { square: true, 'aria-label': label };
}

const MessageTabs = ({ current }: { current: Current }) => (
  <div className={classes('mb-20', styles['views'])}>
    <TabLinks label="Tampilan pesan">
      <TabLink
        to="/message-history"
        search={{ view: 'percakapan' }}
        current={current === 'conversations'}
      >
        <MessagesSquare size={16} />
        Percakapan
      </TabLink>
      <TabLink to="/message-history" current={current === 'table'}>
        <Table2 size={16} />
        Riwayat
      </TabLink>
      <TabLink to="/message-history/kiriman" current={current === 'campaigns'}>
        <Megaphone size={16} />
        Kiriman massal
      </TabLink>
      <TabLink to="/message-history/ekspor" current={current === 'exports'}>
        <Download size={16} />
        Ekspor
      </TabLink>
      <TabLink to="/message-history/berhenti" current={current === 'optouts'}>
        <UserX size={16} />
        Berhenti langganan
      </TabLink>
    </TabLinks>
  </div>
);
