import { useState } from 'react';
import { sampleMedia, samplePeaks } from '#stories/gallery/media/sampleMedia.ts';
import type { Piece } from '#stories/gallery/piece.ts';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import { AudioPlayer } from '#web/ui/media/AudioPlayer.tsx';

function Demo() {
  const [listened, setListened] = useState<readonly number[]>([]);
  const [events, setEvents] = useState<readonly string[]>([]);
  const note = (event: { type: string }) =>
    setEvents((before) => [...before, event.type].slice(-6));
  return (
    <>
      <Show title="With a waveform">
        <AudioPlayer
          src={sampleMedia.voiceNote}
          title="Pesan suara dari Budi"
          peaks={samplePeaks}
          onListen={(seconds) => setListened((before) => [...before, seconds])}
          onPlay={note}
          onPause={note}
          onEnded={note}
        />
        <Emitted of="Times listened">{listened.length}</Emitted>
        <Emitted of="Last position">{listened.at(-1)?.toFixed(1)}</Emitted>
        <Emitted of="Audio events">{events.join(', ')}</Emitted>
      </Show>
      <Show title="Without one">
        <AudioPlayer src={sampleMedia.voiceNote} title="Pesan suara dari Sari" />
      </Show>
      <Show title="Its own title, and another word">
        <AudioPlayer src={sampleMedia.voiceNote} what="rekaman" />
      </Show>
      <Show title="What cannot be played">
        <AudioPlayer src={sampleMedia.picture} title="Pesan suara dari Tono" />
      </Show>
      <Show title="Without controls">
        <AudioPlayer src={sampleMedia.voiceNote} title="Nada tunggu" controls={false} />
      </Show>
    </>
  );
}

export const piece: Piece = {
  id: 'audio-player',
  title: 'AudioPlayer',
  about:
    'A native audio element under our controls; its events come through. Space and K play, the arrows seek 5 s, M mutes; one medium plays at a time and goes on where it was left.',
  props: [
    { name: 'src', type: 'string', about: 'Where the sound is.' },
    { name: 'title', type: 'string', default: 'src', about: 'Names it, also on lock screens.' },
    {
      name: 'what',
      type: 'string',
      default: "'pesan suara'",
      about: "Follows 'Putar' and 'Jeda'.",
    },
    {
      name: 'peaks',
      type: 'readonly number[]',
      about: 'Loudness from start to end, 0 to 1: drawn behind the position.',
    },
    {
      name: 'onListen',
      type: '(seconds: number) => void',
      about: 'The position, after every interval of playing without a pause.',
    },
    { name: 'listenInterval', type: 'number', default: '10000', about: 'In milliseconds.' },
    { name: 'controls', type: 'boolean', default: 'true', about: 'Only false hides them.' },
    {
      name: 'preload',
      type: "'none' | 'metadata' | 'auto'",
      default: "'metadata'",
      about: 'As the element has it.',
    },
    { name: 'volume', type: 'number', default: '1', about: '0 to 1.' },
    {
      name: '…',
      type: "ComponentProps<'audio'>",
      about: 'Everything else goes to the element, its events among them.',
    },
  ],
  Demo,
};
