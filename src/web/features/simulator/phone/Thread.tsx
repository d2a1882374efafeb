import { isolated } from '#contract/base/names.ts';
import { useQueryClient } from '@tanstack/react-query';
import { ScanQrCode } from 'lucide-react';
import { Fragment, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { TEXT_MAX } from '#contract/messages.ts';
import { writtenPeer } from '#contract/messages/peer.ts';
import { formatPhone } from '#contract/base/phone.ts';
import {
  type PhoneSample,
  phoneSamples,
  type SimulatedMessage,
  type SimulatedPhone,
  simulatedReply,
  simulatedSample,
} from '#contract/simulator.ts';
import { formatDate, formatTime } from '#contract/base/time.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import type { Conversation } from '#web/features/simulator/phone/conversations.ts';
import { PhoneHead, PhoneTool } from '#web/features/simulator/phone/PhoneHead.tsx';
import { phoneQuery } from '#web/features/simulator/queries.ts';
import styles from '#web/features/simulator/simulator.module.css';
import { classes } from '#web/ui/classes.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { ChatBubble, ChatDivider, ChatList } from '#web/ui/chat/ChatBubble.tsx';
import { Composer } from '#web/ui/chat/composer/Composer.tsx';
import { startsRun } from '#web/ui/chat/chat.ts';

/** Within this many px of its end a thread follows new messages. */
const NEAR_END_PX = 80;

type Props = {
  phone: string;
  conversation: Conversation;
  onSeen: (lineId: string) => void;
  onBack: () => void;
  onCamera: () => void;
};

export function Thread({ phone, conversation, onSeen, onBack, onCamera }: Props) {
  const { peer, lines, newest } = conversation;
  const numbers = { phone: writtenPeer(phone), to: writtenPeer(peer) };
  const client = useQueryClient();
  const [text, setText] = useState('');
  const place = useFollowing(newest.id);
  const shown = {
    onSuccess: (after: SimulatedPhone) =>
      void client.setQueryData(phoneQuery(phone).queryKey, after),
  };
  const reply = useAct(simulatedReply, shown);
  const sample = useAct(simulatedSample, shown);
  useEffect(() => onSeen(newest.id));
  const error = reply.error ?? sample.error;
  const send = async (said: string) => {
    setText('');
    try {
      await reply.perform({ ...numbers, text: said });
    } catch {
      setText((typed) => typed || said);
    }
  };
  const name = formatPhone(peer);
  return (
    <>
      <PhoneHead title={name} onBack={onBack}>
        <PhoneTool label="Pindai kode QR" onClick={onCamera}>
          <ScanQrCode size={21} />
        </PhoneTool>
      </PhoneHead>
      <div
        ref={place}
        className="grow min-h-0 scroll-y ring-inset"
        role="log"
        aria-label={`Pesan dengan ${isolated(name)}`}
        tabIndex={0}
      >
        <ChatList label={`Percakapan dengan ${isolated(name)}`}>
          {lines.map((line, index) => (
            <Fragment key={line.id}>
              {startsDay(line, lines[index - 1]) && (
                <ChatDivider>{formatDate(line.at)}</ChatDivider>
              )}
              <Line line={line} before={lines[index - 1]} name={name} />
            </Fragment>
          ))}
        </ChatList>
      </div>
      <Alert
        state="danger"
        visible={error !== null}
        label={error ? sentenceOf(error) : ''}
        onClose={reply.error ? reply.reset : sample.reset}
      />
      <Samples
        name={name}
        onChoose={(what) => void sample.perform({ ...numbers, what }).catch(() => undefined)}
      />
      <Composer
        label={`Balas ${isolated(name)}`}
        placeholder="Tulis balasan"
        value={text}
        maxLength={TEXT_MAX}
        onChange={setText}
        onSend={(said) => void send(said)}
      />
    </>
  );
}

type SamplesProps = { name: string; onChoose: (what: PhoneSample) => void };

const Samples = ({ name, onChoose }: SamplesProps) => (
  <ul
    className={classes('flex gap-6', styles['samples'])}
    aria-label={`Kirim contoh kepada ${name}`}
  >
    {(Object.keys(phoneSamples) as PhoneSample[]).map((what) => (
      <li key={what}>
        <button
          type="button"
          className="tiny muted strong nowrap min-h-32 py-4 px-10 border rounded-full hover-ink touch"
          onClick={() => onChoose(what)}
        >
          {phoneSamples[what]}
        </button>
      </li>
    ))}
  </ul>
);

type LineProps = { line: SimulatedMessage; before: SimulatedMessage | undefined; name: string };

const Line = ({ line, before, name }: LineProps) => (
  <ChatBubble
    message={line.content}
    side={line.direction}
    sender={line.direction === 'out' ? 'Anda' : name}
    time={formatTime(line.at)}
    at={line.at}
    first={startsRun(
      { side: line.direction, at: line.at },
      before && { side: before.direction, at: before.at },
    )}
    note={line.possible_duplicate && 'Mungkin terkirim dua kali'}
  />
);

const startsDay = (line: SimulatedMessage, before: SimulatedMessage | undefined): boolean =>
  before === undefined || formatDate(before.at) !== formatDate(line.at);

/** Keeps a thread scrolled to its end, unless the reader has scrolled up. */
function useFollowing(newestId: string) {
  const place = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  useEffect(() => {
    const thread = place.current;
    const look = () => {
      if (!thread) return;
      atEnd.current = thread.scrollHeight - thread.scrollTop - thread.clientHeight < NEAR_END_PX;
    };
    thread?.addEventListener('scroll', look, { passive: true });
    return () => thread?.removeEventListener('scroll', look);
  }, []);
  useLayoutEffect(() => {
    if (atEnd.current && place.current) place.current.scrollTop = place.current.scrollHeight;
  }, [newestId]);
  return place;
}
