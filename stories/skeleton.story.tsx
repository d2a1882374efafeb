import { useState } from 'react';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { Row, Stack } from '#web/ui/panel/Panel.tsx';
import { FormSkeleton, ListSkeleton, Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { useSkeleton } from '#web/ui/skeleton/useSkeleton.ts';

const SLOW_MS = 200;
const QUICK_MS = 60;

function Demo() {
  const [pending, setPending] = useState(false);
  const waiting = useSkeleton(pending);
  const load = (ms: number) => {
    setPending(true);
    setTimeout(() => setPending(false), ms);
  };
  return (
    <>
      <Show title="A line">
        <Skeleton width="62%" />
      </Show>
      <Show title="Lines of text">
        <Skeleton lines={4} />
      </Show>
      <Show title="Shapes">
        <Row>
          <Skeleton width={40} height={40} round />
          <Skeleton width={160} height={40} />
        </Row>
      </Show>
      <Show title="A form">
        <FormSkeleton />
      </Show>
      <Show title="A list">
        <ListSkeleton />
      </Show>
      <Show title="Until something is there">
        <Row>
          <Button variant="outline" onClick={() => load(SLOW_MS)}>
            An answer in 200 ms
          </Button>
          <Button variant="outline" onClick={() => load(QUICK_MS)}>
            An answer in 60 ms
          </Button>
        </Row>
        <Emitted of="The answer is">{pending ? 'on its way' : 'there'}</Emitted>
        <div aria-busy={waiting}>
          {waiting ? (
            <Skeleton lines={2} height="1.55em" />
          ) : (
            <Stack gap={8}>
              <span>Klinik Sehat Bersama</span>
              <span>+62 812-3456-7890</span>
            </Stack>
          )}
        </div>
      </Show>
    </>
  );
}

export const piece: Piece = {
  id: 'skeleton',
  title: 'Skeleton',
  about:
    'The shape of what is coming, in the same size, so that nothing moves when it comes. It is not seen before 120 ms; with useSkeleton(pending) it then stays 300 ms at least. Its container carries aria-busy.',
  props: [
    { name: 'width', type: 'CSS width', default: 'the whole', about: 'Of the content.' },
    {
      name: 'height',
      type: 'CSS height',
      default: "'1em'",
      about: 'Of the content, or of each line.',
    },
    { name: 'lines', type: 'number', default: '1', about: 'Lines of text; the last one shorter.' },
    { name: 'round', type: 'boolean', default: 'false', about: 'A circle or a pill.' },
  ],
  Demo,
};
