import { Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { QrImage } from '#web/ui/qr/QrImage.tsx';

const text = '2@kR7vX1Yq9mWb3ZpT,toko-maju-jaya,21';

const Demo = () => (
  <>
    <Show title="To be scanned">
      <QrImage text={text} alt="Kode QR untuk menautkan token Kasir" />
    </Show>
    <Show title="Small">
      <QrImage text={text} alt="Kode QR kecil" size={128} />
    </Show>
    <Show title="No longer good">
      <QrImage
        text={text}
        alt="Kode QR yang kedaluwarsa"
        cover={
          <>
            <p>Kedaluwarsa</p>
            <Button size="sm">Muat kode baru</Button>
          </>
        }
      />
    </Show>
  </>
);

export const piece: Piece = {
  id: 'qr-image',
  title: 'QrImage',
  about:
    'A QR code, dark on white with its quiet zone in either theme, so that every camera reads it.',
  props: [
    { name: 'text', type: 'string', about: 'What the code says.' },
    { name: 'alt', type: 'string', about: 'What it is for.' },
    { name: 'size', type: 'number', default: '264', about: 'The side, in px.' },
    { name: 'cover', type: 'ReactNode', about: 'Over a code that no longer counts.' },
  ],
  Demo,
};
