import { TabLink, TabLinks } from '#web/ui/tabs/Tabs.tsx';

export const TokenTabs = ({ current }: { current: 'list' | 'templates' | 'rejected' }) => (
  <div className="mb-16">
    <TabLinks label="Tampilan token">
      <TabLink to="/token" current={current === 'list'}>
        Daftar token
      </TabLink>
      <TabLink to="/token/templat" current={current === 'templates'}>
        Templat
      </TabLink>
      <TabLink to="/token" search={{ view: 'ditolak' }} current={current === 'rejected'}>
        {' '}
        Permintaan ditolak
      </TabLink>
    </TabLinks>
  </div>
);
