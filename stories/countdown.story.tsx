import { useState } from 'react';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import { Countdown } from '#web/ui/time/Countdown.tsx';

const inSeconds = (seconds: number): Date => new Date(Date.now() + seconds * 1000);

function Demo() {
  const [minutes] = useState(() => inSeconds(5 * 60));
  const [day] = useState(() => inSeconds(24 * 3600));
  const [soon] = useState(() => inSeconds(3));
  const [ends, setEnds] = useState(0);
  return (
    <>
      <Show title="Minutes">
        <Countdown until={minutes} />
      </Show>
      <Show title="A day">
        <Countdown until={day} />
      </Show>
      <Show title="A sentence">
        <Countdown until={minutes} show={(seconds) => `Mulai dalam ${seconds} detik`} />
      </Show>
      <Show title="Three seconds, then words">
        <Countdown until={soon} ended="Kedaluwarsa" onEnd={() => setEnds((times) => times + 1)} />
        <Emitted of="Ends">{ends}</Emitted>
      </Show>
    </>
  );
}

export const piece: Piece = {
  id: 'countdown',
  title: 'Countdown',
  about:
    'The time that is left, counted by the clock and not by ticks: a tab that slept shows the right time.',
  props: [
    { name: 'until', type: 'Date', about: 'When it reaches zero.' },
    { name: 'onEnd', type: '() => void', about: 'Called once when it does.' },
    { name: 'ended', type: 'string', default: "'00.00'", about: 'Shown at zero.' },
    {
      name: 'show',
      type: '(seconds: number) => string',
      default: 'showCountdown',
      about: 'The sentence with the remaining seconds.',
    },
  ],
  Demo,
};
