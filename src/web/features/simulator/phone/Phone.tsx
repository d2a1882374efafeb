import { BatteryFull, Plane, ScanQrCode, SignalHigh, Snail, Wifi } from 'lucide-react';
import { useEffect, useState } from 'react';
import { formatPhone } from '#contract/base/phone.ts';
import type { SimulatedPhone } from '#contract/simulator.ts';
import { formatTime } from '#contract/base/time.ts';
import { Camera } from '#web/features/simulator/camera/Camera.tsx';
import { Conversations } from '#web/features/simulator/phone/Conversations.tsx';
import { conversationsOf } from '#web/features/simulator/phone/conversations.ts';
import { NewChat } from '#web/features/simulator/phone/NewChat.tsx';
import styles from '#web/features/simulator/simulator.module.css';
import { classes } from '#web/ui/classes.ts';
import { useScreens } from '#web/features/simulator/phone/screens.ts';
import { Thread } from '#web/features/simulator/phone/Thread.tsx';

type Screen =
  | { at: 'list' }
  | { at: 'thread'; peer: string }
  | { at: 'new' }
  | { at: 'camera'; looks: boolean };

const CLOCK_MS = 10_000;

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
    <section className={styles['phone']} aria-label={`Ponsel ${formatPhone(phone.phone)}`}>
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
            <ScanQrCode size={18} aria-hidden="true" />
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
      <span className="row tiny muted gap-5">
        {phone.slow && !phone.offline && (
          <>
            <Snail size={15} aria-hidden="true" />
            <span className="sr-only">Lambat</span>
          </>
        )}
        {phone.offline ? (
          <>
            <Plane size={15} aria-hidden="true" />
            <span>Offline</span>
          </>
        ) : (
          <>
            <SignalHigh size={15} aria-hidden="true" />
            <Wifi size={15} aria-hidden="true" />
          </>
        )}
        <BatteryFull size={17} aria-hidden="true" />
      </span>
    </div>
  );
}
