import { Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import { CodeBlock } from '#web/ui/copy/CodeBlock.tsx';

const sample = `curl https://kabari.example/v1/messages \\
  -H "Authorization: Bearer $KABARI_KEY" -H "Content-Type: application/json" \\
  -d '{"to":"6281234567890","text":{"body":"Pesanan Anda sedang dikirim. Resi: JX4401928810"}}'`;

const Demo = () => (
  <Show title="Code to take along">
    <div>
      <CodeBlock title="curl" code={sample} />
    </div>
  </Show>
);

export const piece: Piece = {
  id: 'code-block',
  title: 'CodeBlock',
  about: 'Code to be copied. It scrolls sideways inside itself, by keyboard too.',
  props: [
    { name: 'code', type: 'string', about: 'The code.' },
    { name: 'title', type: 'string', about: 'Its language, or what it does.' },
  ],
  Demo,
};
