import { useState } from 'react';
import type { Piece } from '#stories/gallery/piece.ts';
import { Show } from '#stories/gallery/Show.tsx';
import { Avatar } from '#web/ui/avatar/Avatar.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { ChatBubble } from '#web/ui/chat/ChatBubble.tsx';
import { threadBack, ThreadHead } from '#web/ui/chat/thread/ThreadHead.tsx';
import { ThreadList } from '#web/ui/chat/thread/ThreadList.tsx';
import { ThreadSkeleton } from '#web/ui/chat/thread/ThreadSkeleton.tsx';
import { threadItems, type ThreadLine } from '#web/ui/chat/thread/threadItems.ts';

const NOW = new Date('2026-11-21T03:00:00Z');
const ALL = 60;

const line = (number: number): ThreadLine<number> => ({
  key: `line ${number}`,
  side: number % 3 === 0 ? 'out' : 'in',
  at: new Date(NOW.getTime() - (ALL - number) * 3_600_000),
  body: number,
});

function Demo() {
  const [first, setFirst] = useState(ALL - 20);
  const [last, setLast] = useState(ALL);
  const [theirs, setTheirs] = useState(0);
  const lines = Array.from({ length: last - first }, (_, index) => line(first + index));
  const items = threadItems({
    lines,
    ended: first === 0,
    unreadFrom: `line ${ALL - 2}`,
    zone: 'UTC',
    now: NOW,
  });
  return (
    <>
      <Show title="Whose it is">
        <ThreadHead
          back={<a href="#thread-list" {...threadBack('Kembali')} />}
          avatar={<Avatar name="Budi Santoso" decorative />}
          name="Budi Santoso"
          about="+62 812-3456-7890"
        />
      </Show>
      <Show title="Older lines come as it is scrolled up">
        <div style={{ display: 'flex', height: 420 }}>
          <ThreadList
            items={items}
            sending={last - ALL - theirs}
            ended={first === 0}
            readOlder={async () => setFirst(Math.max(0, first - 10))}
            render={(number, isFirst) => (
              <ChatBubble
                as="div"
                message={{ type: 'text', caption: `Pesan nomor ${number}` }}
                side={number % 3 === 0 ? 'out' : 'in'}
                sender={number % 3 === 0 ? 'Anda' : 'Budi'}
                time="09.05"
                first={isFirst}
              />
            )}
            foot={<p>Budi sedang mengetik…</p>}
          />
        </div>
        <Button onClick={() => setLast(last + 1)}>Kirim satu lagi</Button>
        <Button
          onClick={() => {
            setLast(last + 1);
            setTheirs(theirs + 1);
          }}
        >
          Terima satu lagi
        </Button>
      </Show>
      <Show title="While it is fetched">
        <div>
          <ThreadSkeleton />
        </div>
      </Show>
    </>
  );
}

export const piece: Piece = {
  id: 'thread-list',
  title: 'ThreadList',
  about:
    'The lines of a thread, newest at the foot: only those in sight are drawn, new ones are followed while one reads at the end, and older ones are fetched before the top is reached. A line a day, and where the unread begin (threadItems).',
  props: [
    { name: 'items', type: 'readonly ThreadItem<Body>[]', about: 'As threadItems makes them.' },
    { name: 'render', type: '(body, first) => ReactNode', about: 'One line of the subject’s own.' },
    { name: 'sending', type: 'number', about: 'One more is scrolled to, wherever one reads.' },
    { name: 'ended, readOlder', type: 'boolean, () => Promise<void>', about: 'What is older.' },
    {
      name: 'newer',
      type: '{ read, leave }',
      about: 'Newer lines that are not here: how they are read on, and the way to the newest.',
    },
    {
      name: 'start',
      type: '{ key, at: "day" | "line" }',
      about:
        'Opens at a line instead of the end: with its day at the top, or marked in the middle.',
    },
    { name: 'focused', type: 'boolean', about: 'Takes the focus when it opens.' },
    { name: 'unread', type: 'number', about: 'Shown at the way to the newest.' },
    { name: 'foot', type: 'ReactNode', about: 'Below the newest line.' },
    {
      name: 'onEnd',
      type: '(atEnd: boolean) => void',
      about: 'The newest line is in view, or not.',
    },
  ],
  Demo,
};
