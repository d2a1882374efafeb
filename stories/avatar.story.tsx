import { Bot, Store } from 'lucide-react';
import { Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import { Avatar } from '#web/ui/avatar/Avatar.tsx';
import { Row } from '#web/ui/panel/Panel.tsx';

const sizes = ['xs', 'sm', 'md', 'lg', 'xl'] as const;
const statuses = ['primary', 'success', 'warning', 'danger', 'info'] as const;
const grounds = ['primary', 'success', 'warning', 'danger', 'info', 'gray'] as const;
const names = ['Budi Santoso', 'Siti Rahayu', 'Ahmad Fauzi', 'Dewi Lestari', 'Ani', 'Klinik Sehat'];

const Demo = () => (
  <>
    <Show title="Initials">
      <Row>
        {names.map((name) => (
          <Avatar key={name} name={name} />
        ))}
        <Avatar name="+62 812-3456-7890" />
      </Row>
    </Show>
    <Show title="Sizes">
      <Row>
        {sizes.map((size) => (
          <Avatar key={size} name={`Toko ${size}`} size={size} bg="primary" />
        ))}
      </Row>
    </Show>
    <Show title="Square">
      <Row>
        {sizes.map((size) => (
          <Avatar key={size} name={`Gudang ${size}`} size={size} shape="square" bg="warning" />
        ))}
      </Row>
    </Show>
    <Show title="Picture">
      <Row>
        <Avatar name="Rina Melati" src="/favicon-192.png" size="lg" />
        <Avatar name="Rina Melati" src="/favicon-192.png" size="lg" shape="square" />
        <Avatar name="Gambar Rusak" src="data:image/png;base64,AAAA" size="lg" />
      </Row>
    </Show>
    <Show title="Status">
      <Row>
        {statuses.map((status) => (
          <Avatar key={status} name={`Kasir ${status}`} status={status} size="lg" bg="gray" />
        ))}
        <Avatar name="Budi Santoso" status="success" statusText="Sedang daring" />
      </Row>
    </Show>
    <Show title="Icon">
      <Row>
        <Avatar name="Toko Maju Jaya" icon={<Store />} />
        <Avatar name="Balasan otomatis" icon={<Bot />} size="lg" shape="square" />
      </Row>
    </Show>
    <Show title="Background">
      <Row>
        {grounds.map((bg) => (
          <Avatar key={bg} name={`Cabang ${bg}`} bg={bg} />
        ))}
      </Row>
    </Show>
    <Show title="Decorative, beside the name">
      <Row>
        <Avatar name="Siti Rahayu" decorative />
        <span>Siti Rahayu</span>
      </Row>
    </Show>
  </>
);

export const piece: Piece = {
  id: 'avatar',
  title: 'Avatar',
  about:
    'A person or a shop: their picture, or the initials of the first two words of the name, letters only. A picture that cannot be loaded gives way to the initials; a name without letters to a figure.',
  props: [
    { name: 'name', type: 'string', about: 'Whose it is; read out in place of the picture.' },
    { name: 'src', type: 'string', about: 'The picture.' },
    { name: 'shape', type: "'round' | 'square'", default: "'round'", about: 'Its outline.' },
    {
      name: 'status',
      type: "'primary' | 'success' | 'warning' | 'danger' | 'info'",
      about: 'A dot at the corner.',
    },
    {
      name: 'statusText',
      type: 'string',
      about: 'What the dot means; the states of a token when left out.',
    },
    { name: 'icon', type: 'ReactNode', about: 'In place of the initials.' },
    {
      name: 'bg',
      type: "'primary' | 'success' | 'warning' | 'danger' | 'info' | 'gray'",
      about: 'The ground; the same one for the same name when left out.',
    },
    {
      name: 'size',
      type: "'xs' | 'sm' | 'md' | 'lg' | 'xl'",
      default: "'md'",
      about: '24, 32, 40, 56 and 80 px.',
    },
    {
      name: 'decorative',
      type: 'boolean',
      default: 'false',
      about: 'The name stands beside it: not read out twice.',
    },
  ],
  Demo,
};
