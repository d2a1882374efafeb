import { useState } from 'react';
import type { Piece } from '#stories/gallery/piece.ts';
import { Show } from '#stories/gallery/Show.tsx';
import { Caption } from '#web/ui/chat/Caption.tsx';

const long = Array.from(
  { length: 120 },
  (_, line) => `${line + 1}. Kue lapis legit ukuran ${10 + (line % 3) * 10} cm, siap diambil.`,
).join('\n');

function Demo() {
  const [text, setText] = useState('Lihat https://kabari.example/menu, ya.');
  return (
    <>
      <Show title="Links and lines">
        <Caption
          text={
            'Halo Bu Ani,\npesanan siap (https://toko.example/pesanan_(42)).<br>Peta: <a href="https://peta.example/?a=1&amp;b=2" onclick="alert(1)">di sini</a>.'
          }
        />
      </Show>
      <Show title="Other tags are text">
        <Caption text={'Harga <b>naik</b> <script>alert(1)</script> <abbr>Rp</abbr> 5 < 7'} />
      </Show>
      <Show title="Unsafe addresses are text">
        <Caption
          text={
            '<a href="javascript:alert(1)">klik</a> <a href="https://bank@jahat.example/">bank</a> https://аррӏе.com/'
          }
        />
      </Show>
      <Show title="Right to left stays inside">
        <p>
          <Caption text={'\u202Ehello שלום'} /> tetap kiri ke kanan
        </p>
      </Show>
      <Show title="Longer than 4 kB">
        <Caption text={long} />
      </Show>
      <Show title="Your own">
        <textarea
          aria-label="Caption text"
          rows={3}
          cols={36}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <div aria-label="Your caption" role="group">
          <Caption text={text} />
        </div>
      </Show>
    </>
  );
}

export const piece: Piece = {
  id: 'caption',
  title: 'Caption',
  about:
    'What strangers write. Lines and links (http, https) are understood, every other tag is shown as the text it is; nothing is ever made into HTML.',
  props: [{ name: 'text', type: 'string', about: 'Anything, of any length.' }],
  Demo,
};
