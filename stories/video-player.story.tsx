import { useEffect, useRef, useState } from 'react';
import { sampleMedia } from '#stories/gallery/media/sampleMedia.ts';
import type { Piece } from '#stories/gallery/piece.ts';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import type { Progress } from '#web/ui/media/media.ts';
import { VideoPlayer, type VideoHandle } from '#web/ui/media/VideoPlayer.tsx';

const words = `WEBVTT

00:00.000 --> 00:06.000
Selamat datang di Toko Maju Jaya.

00:06.000 --> 00:12.000
Kue lapis hari ini masih hangat.
`;

function useWords(): string | undefined {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([words], { type: 'text/vtt' }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, []);
  return address;
}

function Demo() {
  const [progress, setProgress] = useState<readonly Progress[]>([]);
  const [durations, setDurations] = useState<readonly number[]>([]);
  const [starts, setStarts] = useState(0);
  const address = useWords();
  return (
    <>
      <Show title="With captions">
        <VideoPlayer
          src={sampleMedia.clip}
          title="Video dari Budi"
          captions={address === undefined ? [] : [{ src: address, label: 'Indonesia', lang: 'id' }]}
          onProgress={(one) => setProgress((before) => [...before, one])}
          onDuration={(seconds) => setDurations((before) => [...before, seconds])}
          onStart={() => setStarts((before) => before + 1)}
        />
        <Emitted of="Times of progress">{progress.length}</Emitted>
        <Emitted of="Last progress">{JSON.stringify(progress.at(-1))}</Emitted>
        <Emitted of="Durations">{durations.join(', ')}</Emitted>
        <Emitted of="Starts">{starts}</Emitted>
      </Show>
      <Show title="Told where to go">
        <Seeking />
      </Show>
      <Show title="In a message">
        <VideoPlayer src={sampleMedia.clip} title="Video dari Sari" width={320} height={200} />
      </Show>
      <Show title="What cannot be played">
        <VideoPlayer src={sampleMedia.picture} title="Video dari Tono" width={320} height={200} />
      </Show>
    </>
  );
}

function Seeking() {
  const video = useRef<VideoHandle>(null);
  const [src, setSrc] = useState('');
  const [there, setThere] = useState(true);
  return (
    <>
      {there && (
        <VideoPlayer
          ref={video}
          src={src}
          title="Petunjuk"
          what="petunjuk"
          width={320}
          height={200}
        />
      )}
      <Button size="sm" variant="outline" onClick={() => video.current?.seekTo(7)}>
        Seek to 7 s
      </Button>
      <Button size="sm" variant="outline" onClick={() => video.current?.seekTo(0.5)}>
        Seek to the half
      </Button>
      <Button size="sm" variant="outline" onClick={() => setSrc(sampleMedia.clip)}>
        Give it its file
      </Button>
      <Button size="sm" variant="outline" onClick={() => setThere(!there)}>
        {there ? 'Take it away' : 'Bring it back'}
      </Button>
    </>
  );
}

export const piece: Piece = {
  id: 'video-player',
  title: 'VideoPlayer',
  about:
    'A native video element under our controls; its events come through. Keys as for audio, and F for the whole screen. One medium plays at a time.',
  props: [
    { name: 'src', type: 'string', about: 'Where the film is.' },
    { name: 'title', type: 'string', default: "'Video'", about: 'Names it, also on lock screens.' },
    { name: 'what', type: 'string', default: "'video'", about: "Follows 'Putar' and 'Jeda'." },
    {
      name: 'width, height',
      type: 'number',
      default: '640, 360',
      about: 'In px; gives way to a narrower place and keeps its shape.',
    },
    {
      name: 'captions',
      type: 'readonly CaptionTrack[]',
      default: '[]',
      about: 'Words along with the picture: src (WebVTT), label, lang.',
    },
    {
      name: 'onProgress',
      type: '(progress: Progress) => void',
      about:
        'playedSeconds, played, loadedSeconds, loaded: from the start, when they have changed.',
    },
    { name: 'progressInterval', type: 'number', default: '1000', about: 'In milliseconds.' },
    { name: 'onDuration', type: '(seconds: number) => void', about: 'Once.' },
    { name: 'onStart', type: '() => void', about: 'The first time that it plays.' },
    {
      name: 'ref',
      type: 'Ref<VideoHandle>',
      about:
        'seekTo(amount), play(), pause(). Between 0 and 1 an amount is a part of the whole. Before it is ready a seek is kept for 5 s and done on play.',
    },
    {
      name: '…',
      type: "ComponentProps<'video'>",
      about: 'Everything else goes to the element, its events among them.',
    },
  ],
  Demo,
};
