import { useParams } from '#web/browser/router/Router.tsx';
import { useState } from 'react';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { TabLink, TabLinks, Tabs } from '#web/ui/tabs/Tabs.tsx';

function Demo() {
  const [view, setView] = useState('ringkas');
  const { piece: here = 'tabs' } = useParams();
  return (
    <>
      <Show title="Tabs">
        <Tabs
          label="Rincian tagihan"
          value={view}
          onChange={setView}
          tabs={[
            {
              value: 'ringkas',
              label: 'Ringkasan',
              content: <p>Paket Usaha, November 2026: Rp 109.890 sudah termasuk PPN.</p>,
            },
            {
              value: 'baris',
              label: 'Baris tagihan',
              content: <Button variant="outline">Unduh baris tagihan</Button>,
            },
            {
              value: 'riwayat',
              label: 'Riwayat',
              content: <p>Dibayar dari saldo pada 1 Nov 2026, 00.05.</p>,
            },
          ]}
        />
        <Emitted of="Open tab">{view}</Emitted>
      </Show>
      <Show title="Views with an address">
        <TabLinks label="Bagian galeri">
          <TabLink href={`/__galeri/${here}#piece-tabs`} current>
            Tab
          </TabLink>
          <TabLink href="/__galeri/accordion" current={false}>
            Akordeon
          </TabLink>
        </TabLinks>
      </Show>
    </>
  );
}

export const piece: Piece = {
  id: 'tabs',
  title: 'Tabs',
  about:
    'One stop; arrows, Home and End choose. The panel is a stop itself only when nothing in it is. Views that have an address are TabLinks.',
  props: [
    { name: 'label', type: 'string', about: 'What is being chosen among, for screen readers.' },
    { name: 'tabs', type: '{ value, label, content }[]', about: 'The tabs and their panels.' },
    { name: 'value', type: 'string', about: 'The open one.' },
    { name: 'onChange', type: '(value: string) => void', about: 'Told what was chosen.' },
    { name: 'TabLinks.label', type: 'string', about: 'The name of the row of links.' },
    { name: 'TabLink.to', type: 'route', about: 'As the router has it.' },
  ],
  Demo,
};
