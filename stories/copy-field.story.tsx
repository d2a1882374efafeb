import { Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import { CopyField } from '#web/ui/copy/CopyField.tsx';

const Demo = () => (
  <>
    <Show title="A value">
      <div>
        <CopyField label="Nomor rekening" value="8720123456" shown="8720 1234 56" />
      </div>
    </Show>
    <Show title="A key">
      <div>
        <CopyField
          label="Kunci API"
          value="kbr_live_01JD8ZK3V6Q2M9W4T7X1Y5B8CN"
          look="code"
          help="Hanya ditampilkan sekali. Simpan di tempat yang aman."
        />
      </div>
    </Show>
    <Show title="An amount">
      <div>
        <CopyField
          label="Transfer tepat sejumlah"
          value="250117"
          shown="Rp 250.117"
          look="amount"
          help="Tiga angka terakhir adalah kode unik Anda."
        />
      </div>
    </Show>
  </>
);

export const piece: Piece = {
  id: 'copy-field',
  title: 'CopyField',
  about:
    'A value that is there to be taken along, with a button “Salin” that says “Tersalin” for two seconds.',
  props: [
    { name: 'label', type: 'ReactNode', about: 'What it is.' },
    { name: 'value', type: 'string', about: 'What is copied.' },
    { name: 'shown', type: 'ReactNode', about: 'What is shown, when it differs.' },
    { name: 'help', type: 'ReactNode', about: 'A line below.' },
    { name: 'look', type: "'code' | 'amount'", about: 'Keys in a fixed width; amounts large.' },
  ],
  Demo,
};
