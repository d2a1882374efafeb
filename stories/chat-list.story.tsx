import { useState } from 'react';
import { Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import { Avatar } from '#web/ui/avatar/Avatar.tsx';
import {
  ChatList,
  chatRow,
  ChatRows,
  ChatRowsLoading,
  ChatRowWords,
} from '#web/ui/chat/list/ChatList.tsx';
import { SearchField } from '#web/ui/text/SearchField.tsx';

const AT = new Date('2026-11-21T02:05:00Z');
const all = [
  {
    name: 'Toko Sumber Rejeki Abadi Sejahtera Bersama',
    unread: 3,
    preview: 'Pesanan sudah dikirim?',
  },
  { name: '+62 812-3456-7890', isNumber: true, unread: 0, preview: 'Terima kasih.' },
  { name: 'Ani', unread: 120, preview: 'Lampiran' },
];

function Demo() {
  const [q, setQ] = useState('');
  const shown = all.filter(({ name }) => name.toLowerCase().includes(q.toLowerCase()));
  return (
    <>
      <Show title="One of them is open">
        <div style={{ width: 320 }}>
          <ChatList
            label="Daftar contoh"
            head={
              <SearchField
                label="Cari percakapan"
                placeholder="Cari nama"
                maxLength={20}
                value={q}
                onSearch={setQ}
              />
            }
          >
            <ChatRows>
              {shown.map(({ preview, ...row }, place) => (
                <li key={row.name}>
                  <a href="#chat-list" {...chatRow({ open: place === 1, unread: row.unread })}>
                    <Avatar name={row.name} decorative />
                    <ChatRowWords {...row} at={AT} time="09.05" preview={<bdi>{preview}</bdi>} />
                  </a>
                </li>
              ))}
            </ChatRows>
          </ChatList>
        </div>
      </Show>
      <Show title="While they are fetched">
        <div style={{ width: 320 }}>
          <ChatRowsLoading />
        </div>
      </Show>
    </>
  );
}

export const piece: Piece = {
  id: 'chat-list',
  title: 'ChatList',
  about:
    'The threads beside the one that is open: a search above rows that scroll by themselves. A row is a link of the subject’s own, made by chatRow; ChatRowWords says whose thread it is, when something was said, what, and how much is unread.',
  props: [
    { name: 'label, head', type: 'string, ReactNode', about: 'Its name; what narrows it.' },
    { name: 'ChatRows: busy, foot', type: 'boolean, ReactNode', about: 'Where more of them are.' },
    { name: 'chatRow: open, unread', type: 'boolean, number', about: 'How a row stands.' },
    {
      name: 'ChatRowWords: name, isNumber, at, time, preview, unread, children',
      type: '…',
      about: 'What a row says.',
    },
  ],
  Demo,
};
