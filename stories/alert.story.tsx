import { useState } from 'react';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import { Alert, type AlertState } from '#web/ui/alert/Alert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Row, Stack } from '#web/ui/panel/Panel.tsx';

const texts: Record<AlertState, string> = {
  primary: 'Nomor Anda siap dipakai mengirim pesan.',
  secondary: 'Pesan lama disimpan selama 90 hari.',
  success: 'Isi saldo Rp 250.000 sudah diterima.',
  info: 'Pemeliharaan terjadwal Minggu, 22 Nov 2026, 02.00.',
  warning: 'Saldo tinggal Rp 12.500, cukup untuk 83 pesan.',
  danger: 'Nomor Kasir terputus. Pindai ulang kode QR-nya.',
  gray: 'Belum ada pesan hari ini.',
  light: 'Anda dapat mengubahnya nanti di profil.',
};
const states = Object.keys(texts) as AlertState[];
const looks = [
  ['Default', undefined],
  ['Fill', 'fill'],
  ['Pro', 'pro'],
] as const;

function Demo() {
  const [visible, setVisible] = useState(false);
  const [state, setState] = useState<AlertState>('danger');
  const [closed, setClosed] = useState(0);
  const show = (next: AlertState) => {
    setState(next);
    setVisible(true);
  };
  return (
    <>
      {looks.map(([title, variant]) => (
        <Show key={title} title={title}>
          <Stack gap={8}>
            {states.map((one) => (
              <Alert
                key={one}
                visible
                state={one}
                label={texts[one]}
                {...(variant && { variant })}
              />
            ))}
          </Stack>
        </Show>
      ))}
      <Show title="Shown later, and closed">
        <Row>
          <Button variant="outline" onClick={() => show('danger')}>
            Show a danger
          </Button>
          <Button variant="outline" onClick={() => show('success')}>
            Show a success
          </Button>
        </Row>
        <Stack>
          <Alert
            visible={visible}
            state={state}
            label={`Muncul kemudian: ${texts[state]}`}
            onClose={() => {
              setVisible(false);
              setClosed(closed + 1);
            }}
          />
        </Stack>
        <Emitted of="Closed">{closed}</Emitted>
      </Show>
      <Show title="With more below its sentence">
        <Stack>
          <Alert visible state="warning" variant="pro" label="Nomor belum disetujui Meta.">
            <p>Peninjauan biasanya selesai dalam dua hari kerja.</p>
            <Row>
              <Button size="sm" variant="outline">
                Lihat syaratnya
              </Button>
            </Row>
          </Alert>
        </Stack>
      </Show>
    </>
  );
}

export const piece: Piece = {
  id: 'alert',
  title: 'Alert',
  about:
    'A message in its place on the page. It is not there unless it is visible. A warning or a danger that turns up while somebody works interrupts a screen reader; everything else waits for its turn.',
  props: [
    {
      name: 'state',
      type: "'primary' | 'secondary' | 'success' | 'info' | 'warning' | 'danger' | 'gray' | 'light'",
      default: "'primary'",
      about: 'What kind of message it is.',
    },
    {
      name: 'variant',
      type: "'fill' | 'pro'",
      about: 'Solid, or a card with a bar and an icon in its colour; a soft tint when left out.',
    },
    { name: 'visible', type: 'boolean', default: 'false', about: 'Whether it is there at all.' },
    { name: 'label', type: 'ReactNode', about: 'The sentence itself.' },
    { name: 'children', type: 'ReactNode', about: 'More below it: details, an action.' },
    { name: 'onClose', type: '() => void', about: 'With it there is a button “Tutup”.' },
  ],
  Demo,
};
