import { ScanQrCode, SquarePen } from 'lucide-react';
import { formatPhone } from '#contract/base/phone.ts';
import { formatDate, formatTime } from '#contract/base/time.ts';
import styles from '#web/features/simulator/simulator.module.css';
import { classes } from '#web/ui/classes.ts';
import {
  type Conversation,
  excerptOf,
  unreadIn,
} from '#web/features/simulator/phone/conversations.ts';
import { PhoneHead, PhoneTool } from '#web/features/simulator/phone/PhoneHead.tsx';
import { Avatar } from '#web/ui/avatar/Avatar.tsx';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';

type Props = {
  phone: string;
  conversations: readonly Conversation[];
  /** The last line seen, by number. */
  seen: ReadonlyMap<string, string>;
  onOpen: (peer: string) => void;
  onNew: () => void;
  onCamera: () => void;
};

export function Conversations({ phone, conversations, seen, onOpen, onNew, onCamera }: Props) {
  return (
    <>
      <PhoneHead title="Pesan" under={formatPhone(phone)}>
        <PhoneTool label="Tulis pesan baru" onClick={onNew}>
          <SquarePen size={20} />
        </PhoneTool>
        <PhoneTool label="Pindai kode QR" onClick={onCamera}>
          <ScanQrCode size={21} />
        </PhoneTool>
      </PhoneHead>
      {conversations.length === 0 ? (
        <div className="grid grow content-center">
          <EmptyState title="Belum ada pesan di ponsel ini.">
            Pesan yang dikirim ke nomor ini muncul di sini otomatis.
          </EmptyState>
        </div>
      ) : (
        <ul className="grow min-h-0 plain-list overflow-y">
          {conversations.map((conversation) => (
            <li key={conversation.peer}>
              <Line
                conversation={conversation}
                unread={unreadIn(conversation, seen.get(conversation.peer))}
                onOpen={() => onOpen(conversation.peer)}
              />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

type LineProps = { conversation: Conversation; unread: number; onOpen: () => void };

function Line({ conversation: { peer, newest }, unread, onOpen }: LineProps) {
  const today = formatDate(newest.at) === formatDate(new Date());
  return (
    <button
      type="button"
      className={classes(
        'grid align-start w-full gap-1 gap-x-12 py-12 px-16 border-b hover ring-inset',
        styles['line'],
      )}
      onClick={onOpen}
    >
      <Avatar name={peer} icon={peer.slice(-2)} decorative />
      <span className="strong num">{formatPhone(peer)}</span>
      <time
        className={classes('tiny faint num', styles['time'])}
        dateTime={newest.at.toISOString()}
      >
        {today ? formatTime(newest.at) : formatDate(newest.at)}
      </time>
      <span className={classes('small muted leading-ui clamp-2', styles['excerpt'])}>
        {newest.direction === 'out' && 'Anda: '}
        <bdi>{excerptOf(newest)}</bdi>
      </span>
      {unread > 0 && (
        <span
          className={classes(
            'tiny strong text-center justify-self-end rounded-full solid-warning',
            styles['unread'],
          )}
        >
          {unread}
          <span className="sr-only"> pesan baru</span>
        </span>
      )}
    </button>
  );
}
