import { AttachPreview } from '#web/features/messages/conversations/thread/attach/AttachPreview.tsx';
import { LocateFixed } from 'lucide-react';
import { useState } from 'react';
import { sendLocation } from '#contract/messages/sending.ts';
import { LOCATION_MAX } from '#contract/rest/endpoint.ts';
import styles from '#web/features/messages/conversations/conversations.module.css';
import { classes } from '#web/ui/classes.ts';
import {
  isShortLink,
  placeIn,
  type Coordinates,
} from '#web/features/messages/conversations/thread/attach/mapLink.ts';
import type { PlaceToSend } from '#web/features/messages/conversations/thread/sending.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { fieldErrors } from '#web/ui/form/fieldErrors.ts';
import { useForm, type Form } from '#web/ui/form/useForm.ts';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';

type Props = {
  to: { token_id: string; to: string };
  onSend: (place: PlaceToSend) => void;
  onClose: () => void;
};

const initial = { latitude: '', longitude: '', name: '', address: '' };
type Values = typeof initial;

const LONG_MS = 20_000;
const SHORT = 'Tautan pendek ini tidak memuat koordinat. Buka di peta, lalu salin koordinatnya.';
const NO_PLACE = 'Tidak ada koordinat di dalamnya. Contoh: -6.175392, 106.827153.';

export function LocationDialog({ to, onSend, onClose }: Props) {
  const form = useForm(initial, (values) => fieldErrors(sendLocation, { ...to, ...values }));
  const { values, ref, set, submit } = form;
  const put = ({ latitude, longitude }: Coordinates) => {
    set('latitude', String(latitude));
    set('longitude', String(longitude));
  };
  const send = submit(async (written) => {
    const place = sendLocation.input.safeParse({ ...to, ...written });
    if (!place.success) return;
    const { latitude, longitude, name, address } = place.data;
    onSend({ latitude, longitude, name: name || undefined, address: address || undefined });
    onClose();
  });
  return (
    <Modal open onClose={onClose} title="Kirim lokasi">
      <form ref={ref} noValidate className="stack gap-16" onSubmit={send}>
        <Pasted onPlace={put} />
        <Here onPlace={put} />
        <div className={classes('grid align-start gap-16', styles['pair'])}>
          <TextField
            {...fieldOf(form, 'latitude')}
            label="Garis lintang"
            required
            inputMode="text"
          />
          <TextField
            {...fieldOf(form, 'longitude')}
            label="Garis bujur"
            required
            inputMode="text"
          />
        </div>
        <TextField
          label="Nama tempat (opsional)"
          placeholder="Toko Ani"
          maxLength={LOCATION_MAX.name}
          {...form.field('name')}
        />
        <TextField
          label="Alamat (opsional)"
          placeholder="Jalan Melati 5, Bandung"
          maxLength={LOCATION_MAX.address}
          {...form.field('address')}
        />
        <Preview values={values} />
        <div className="flex wrap justify-end gap-8">
          <Button variant="outline" onClick={onClose}>
            Batal
          </Button>
          <Button type="submit">Kirim lokasi</Button>
        </div>
      </form>
    </Modal>
  );
}

const fieldOf = ({ values, errors, set, leave }: Form<Values>, name: 'latitude' | 'longitude') => ({
  name,
  autoComplete: 'off',
  value: values[name],
  error: errors[name],
  // Copied text often contains spaces.
  onChange: ({ target }: { target: { value: string } }) => set(name, target.value.trim()),
  onBlur: () => leave(name),
});

function Pasted({ onPlace }: { onPlace: (place: Coordinates) => void }) {
  const [pasted, setPasted] = useState('');
  const place = placeIn(pasted);
  const fault = pasted.trim() === '' || place ? undefined : isShortLink(pasted) ? SHORT : NO_PLACE;
  return (
    <TextField
      label="Tautan peta atau koordinat"
      autoComplete="off"
      placeholder="https://www.google.com/maps/…"
      help="Tempel tautan dari aplikasi peta, atau isi koordinatnya di bawah."
      value={pasted}
      error={fault}
      onClear={() => setPasted('')}
      onChange={({ target }) => {
        setPasted(target.value);
        const found = placeIn(target.value);
        if (found) onPlace(found);
      }}
    />
  );
}

const whyNot = [
  'Lokasi tidak dapat ditemukan di perangkat ini.',
  'Browser tidak diizinkan membaca lokasi. Izinkan di setelan situs, lalu coba lagi.',
  'Lokasi tidak dapat ditemukan sekarang. Coba lagi di tempat terbuka.',
  'Mencari lokasi terlalu lama. Coba lagi.',
] as const;

function Here({ onPlace }: { onPlace: (place: Coordinates) => void }) {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const ask = () => {
    setBusy(true);
    setFault(undefined);
    navigator.geolocation.getCurrentPosition(
      ({ coords: { latitude, longitude } }) => {
        setBusy(false);
        // Six digits are a step of ten centimetres.
        onPlace({ latitude: rounded(latitude), longitude: rounded(longitude) });
      },
      ({ code }) => {
        setBusy(false);
        setFault(whyNot[code] ?? whyNot[0]);
      },
      { enableHighAccuracy: true, timeout: LONG_MS },
    );
  };
  return (
    <div className="row wrap gap-10">
      <Button
        variant="outline"
        size="sm"
        busy={busy}
        icon={<LocateFixed size={16} />}
        onClick={ask}
      >
        Gunakan lokasi saya
      </Button>
      {fault && (
        <span role="alert" className="small text-danger">
          {fault}
        </span>
      )}
    </div>
  );
}

const rounded = (degrees: number): number => Math.round(degrees * 1e6) / 1e6;

function Preview({ values: { latitude, longitude, name, address } }: { values: Values }) {
  const place = placeIn(`${latitude.replace(',', '.')} ${longitude.replace(',', '.')}`);
  if (!place) return null;
  return (
    <AttachPreview
      message={{
        type: 'location',
        place: { ...place, name: name.trim() || null, address: address.trim() || null },
      }}
    />
  );
}
