import { Moon, Smartphone } from 'lucide-react';
import { Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { Row } from '#web/ui/panel/Panel.tsx';
import { Tooltip } from '#web/ui/overlay/Tooltip.tsx';

const Demo = () => (
  <Show title="Icons that say their name">
    <Row>
      <Tooltip text="Tema: gelap">
        <Button variant="link" square aria-label="Tema: gelap">
          <Moon size={18} />
        </Button>
      </Tooltip>
      <Tooltip text="Simulator ponsel" off>
        <Button variant="outline" icon={<Smartphone size={18} />}>
          Simulator ponsel
        </Button>
      </Tooltip>
    </Row>
  </Show>
);

export const piece: Piece = {
  id: 'tooltip',
  title: 'Tooltip',
  about:
    'The name of a control that is an icon alone, beside it: on keyboard focus, or when a mouse rests on it. Never the only carrier of a name.',
  props: [
    { name: 'text', type: 'string', about: "The control's own name again." },
    { name: 'off', type: 'boolean', default: 'false', about: 'While the words are in sight.' },
    { name: 'children', type: 'ReactNode', about: 'One control.' },
  ],
  Demo,
};
