import { ScanQrCode, SquarePen } from 'lucide-react';
import { formatPhone } from '#contract/base/phone.ts';
import { formatDate, formatTime } from '#contract/base/time.ts';
import styles from '#web/features/simulator/phone/Conversations.module.css';
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
        <div className={styles['none']}>
          <EmptyState title="Belum ada pesan di ponsel ini.">
            Pesan yang dikirim ke nomor ini muncul di sini otomatis.
          </EmptyState>
        </div>
      ) : (
        <ul className={styles['list']}>
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
    <button type="button" className={styles['line']} onClick={onOpen}>
      <Avatar name={peer} icon={peer.slice(-2)} decorative />
      <span className={styles['peer']}>{formatPhone(peer)}</span>
      <time className={styles['time']} dateTime={newest.at.toISOString()}>
        {today ? formatTime(newest.at) : formatDate(newest.at)}
      </time>
      <span className={styles['excerpt']}>
        {newest.direction === 'out' && 'Anda: '}
        <bdi>{excerptOf(newest)}</bdi>
      </span>
      {unread > 0 && (
        <span className={styles['unread']}>
          {unread}
          <span className="sr-only"> pesan baru</span>
        </span>
      )}
    </button>
  );
}
