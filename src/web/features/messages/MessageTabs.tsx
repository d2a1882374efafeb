import { Download, Megaphone, MessagesSquare, Table2, UserX } from 'lucide-react';
import styles from '#web/features/messages/MessagesPage.module.css';
import { TabLink, TabLinks } from '#web/ui/tabs/Tabs.tsx';

export const MessageTabs = ({
  current,
}: {
  current: 'conversations' | 'table' | 'campaigns' | 'exports' | 'optouts';
}) => (
  <div className={styles['views']}>
    <TabLinks label="Tampilan pesan">
      <TabLink
        to="/message-history"
        search={{ view: 'percakapan' }}
        current={current === 'conversations'}
      >
        <MessagesSquare size={16} aria-hidden="true" />
        Percakapan
      </TabLink>
      <TabLink to="/message-history" current={current === 'table'}>
        <Table2 size={16} aria-hidden="true" />
        Riwayat
      </TabLink>
      <TabLink to="/message-history/kiriman" current={current === 'campaigns'}>
        <Megaphone size={16} aria-hidden="true" />
        Kiriman massal
      </TabLink>
      <TabLink to="/message-history/ekspor" current={current === 'exports'}>
        <Download size={16} aria-hidden="true" />
        Ekspor
      </TabLink>
      <TabLink to="/message-history/berhenti" current={current === 'optouts'}>
        <UserX size={16} aria-hidden="true" />
        Berhenti langganan
      </TabLink>
    </TabLinks>
  </div>
);
