import { BatteryFull, Plane, ScanQrCode, SignalHigh, Snail, Wifi, SquarePen } from 'lucide-react';
import { useEffect, useState, Fragment, useLayoutEffect, useRef } from 'react';
import { formatPhone } from '#contract/base/phone.ts';
import {
  type SimulatedPhone,
  simulatedReply,
  type PhoneSample,
  phoneSamples,
  type SimulatedMessage,
  simulatedSample,
} from '#contract/simulator.ts';
import { formatTime, formatDate } from '#contract/base/time.ts';
import { Camera } from '#web/features/simulator/camera/Camera.tsx';
import {
  conversationsOf,
  type Conversation,
  excerptOf,
  unreadIn,
} from '#web/features/simulator/phone/conversations.ts';
import styles from '#web/features/simulator/simulator.module.css';
import { classes } from '#web/ui/classes.ts';
import { useScreens } from '#web/features/simulator/phone/screens.ts';
import { PhoneHead, PhoneTool } from '#web/features/simulator/phone/PhoneHead.tsx';
import { Avatar } from '#web/ui/avatar/Avatar.tsx';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { writtenPeer } from '#contract/messages/peer.ts';
import { useQueryClient } from '@tanstack/react-query';
import { TEXT_MAX } from '#contract/messages.ts';
import { useActForm } from '#web/ui/form/useActForm.ts';
import { readPhone } from '#web/features/simulator/phones.ts';
import { phoneQuery } from '#web/features/simulator/queries.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { HomeTelephoneField } from '#web/ui/phone/TelephoneField.tsx';
import { TextArea } from '#web/ui/text/TextField.tsx';
import { isolated } from '#contract/base/names.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { ChatBubble, ChatDivider, ChatList } from '#web/ui/chat/ChatBubble.tsx';
import { Composer } from '#web/ui/chat/composer/Composer.tsx';
import { startsRun } from '#web/ui/chat/chat.ts';

type Screen =
  | { at: 'list' }
  | { at: 'thread'; peer: string }
  | { at: 'new' }
  | { at: 'camera'; looks: boolean };

const CLOCK_MS = 10_000;

const frame = classes('forced-border', styles['phone']);

/** A simulated phone. It polls for the activity of others. */
export function Phone({ phone }: { phone: SimulatedPhone }) {
  const conversations = conversationsOf(phone.lines);
  const only = conversations.length === 1 ? conversations[0] : undefined;
  const [screen, setScreen] = useState<Screen>(
    only ? { at: 'thread', peer: only.peer } : { at: 'list' },
  );
  const [seen, setSeen] = useState<ReadonlyMap<string, string>>(
    () => new Map(conversations.map(({ peer, newest }) => [peer, newest.id])),
  );
  const screens = useScreens();
  const look = (peer: string, lineId: string) => {
    if (seen.get(peer) !== lineId) setSeen(new Map(seen).set(peer, lineId));
  };
  const toCamera = () => setScreen({ at: 'camera', looks: false });
  const toList = () => setScreen({ at: 'list' });
  const open = screen.at === 'thread' ? screen.peer : undefined;
  const thread = conversations.find(({ peer }) => peer === open);
  const offered = screens.inSight && screen.at !== 'camera' && phone.linked_to.length === 0;
  const listed = screen.at === 'list' || (screen.at === 'thread' && !thread);
  return (
    <section className={frame} aria-label={`Ponsel ${formatPhone(phone.phone)}`}>
      <div className={classes('column paper overflow-hidden', styles['screen'])}>
        <StatusBar phone={phone} />
        {offered && (
          <button
            type="button"
            className={classes(
              'row justify-center gap-8 flex-none strong min-h-44 px-16 solid-primary hover-primary',
              styles['sight'],
            )}
            onClick={() => setScreen({ at: 'camera', looks: true })}
          >
            <ScanQrCode size={18} />
            Ada kode QR di tab lain. Pindai
          </button>
        )}
        {listed && (
          <Conversations
            phone={phone.phone}
            conversations={conversations}
            seen={seen}
            onOpen={(peer) => setScreen({ at: 'thread', peer })}
            onNew={() => setScreen({ at: 'new' })}
            onCamera={toCamera}
          />
        )}
        {thread && (
          <Thread
            key={thread.peer}
            phone={phone.phone}
            conversation={thread}
            onSeen={(lineId) => look(thread.peer, lineId)}
            onBack={toList}
            onCamera={toCamera}
          />
        )}
        {screen.at === 'new' && (
          <NewChat
            phone={phone.phone}
            onBack={toList}
            onSent={(peer) => setScreen({ at: 'thread', peer })}
          />
        )}
        {screen.at === 'camera' && (
          <Camera phone={phone} screens={screens} looks={screen.looks} onBack={toList} />
        )}
      </div>
    </section>
  );
}

function StatusBar({ phone }: { phone: SimulatedPhone }) {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), CLOCK_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <div
      className={classes(
        'row justify-between flex-none small strong min-h-36 surface',
        styles['bar'],
      )}
    >
      <span className="num">{formatTime(now)}</span>
      <span className="row tiny muted gap-4">
        {phone.slow && !phone.offline && (
          <>
            <Snail size={15} />
            <span className="sr-only">Lambat</span>
          </>
        )}
        {phone.offline ? (
          <>
            <Plane size={15} />
            <span>Offline</span>
          </>
        ) : (
          <>
            <SignalHigh size={15} />
            <Wifi size={15} />
          </>
        )}
        <BatteryFull size={17} />
      </span>
    </div>
  );
}

type Props = {
  phone: string;
  conversations: readonly Conversation[];
  /** The last line seen, by number. */
  seen: ReadonlyMap<string, string>;
  onOpen: (peer: string) => void;
  onNew: () => void;
  onCamera: () => void;
};

function Conversations({ phone, conversations, seen, onOpen, onNew, onCamera }: Props) {
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
        'grid align-start w-full gap-2 gap-x-12 py-12 px-16 border-b hover ring-inset',
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
      <span className="small muted leading-ui clamp-2">
        {newest.direction === 'out' && 'Anda: '}
        <bdi>{excerptOf(newest)}</bdi>
      </span>
      {unread > 0 && (
        <span
          className={classes(
            'tiny strong text-center justify-self-end rounded-full solid-warning px-8',
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

type NewChatProps = { phone: string; onBack: () => void; onSent: (peer: string) => void };

function NewChat({ phone, onBack, onSent }: NewChatProps) {
  const client = useQueryClient();
  const { form, onSubmit, busy, error } = useActForm(simulatedReply, {
    initial: { to: '', text: '' },
    inputOf: ({ to, text }) => ({ text, phone: writtenPeer(phone), to: writtenPeer(to) }),
    onDone: (after, { values: { to } }) => {
      client.setQueryData(phoneQuery(phone).queryKey, after);
      onSent(readPhone(to) ?? to);
    },
  });
  return (
    <>
      <PhoneHead title="Pesan baru" onBack={onBack} />
      <form
        ref={form.ref}
        noValidate
        className="grid content-start gap-16 grow p-20 overflow-y"
        onSubmit={onSubmit}
      >
        <RefusalAlert error={error} fields={['to', 'text']} />
        <HomeTelephoneField
          label="Kepada"
          required
          autoComplete="off"
          help="Nomor yang tersambung ke sebuah token."
          {...form.field('to')}
        />
        <TextArea label="Pesan" required maxLength={TEXT_MAX} {...form.field('text')} />
        <Button type="submit" size="lg" block busy={busy}>
          Kirim
        </Button>
      </form>
    </>
  );
}

/** Within this many px of its end a thread follows new messages. */
const NEAR_END_PX = 80;

type ThreadProps = {
  phone: string;
  conversation: Conversation;
  onSeen: (lineId: string) => void;
  onBack: () => void;
  onCamera: () => void;
};

function Thread({ phone, conversation, onSeen, onBack, onCamera }: ThreadProps) {
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
              <MessageLine line={line} before={lines[index - 1]} name={name} />
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

type MessageProps = { line: SimulatedMessage; before: SimulatedMessage | undefined; name: string };

const MessageLine = ({ line, before, name }: MessageProps) => (
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
