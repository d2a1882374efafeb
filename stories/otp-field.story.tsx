import { useState } from 'react';
import styles from '#stories/gallery/fields.module.css';
import type { Piece } from '#stories/gallery/piece.ts';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import { OtpField } from '#web/ui/form/OtpField.tsx';

function Demo() {
  const [code, setCode] = useState('');
  const [whole, setWhole] = useState<readonly string[]>([]);
  return (
    <>
      <Show title="Six digits">
        <div className={styles['column']}>
          <OtpField
            label="Kode verifikasi"
            name="code"
            required
            help="Enam angka dari pesan yang kami kirim."
            value={code}
            onChange={setCode}
            onComplete={(done) => setWhole([...whole, done])}
          />
          <Emitted of="Code">{code || 'none'}</Emitted>
          <Emitted of="Whole codes">{whole.join(' ')}</Emitted>
        </div>
      </Show>
      <Show title="Error">
        <div className={styles['column']}>
          <OtpField
            label="Kode untuk nomor baru"
            error="Kode salah. Sisa 4 percobaan."
            value="12"
            onChange={() => {}}
          />
        </div>
      </Show>
    </>
  );
}

export const piece: Piece = {
  id: 'otp-field',
  title: 'OtpField',
  about:
    'A one-time code in one box: phones offer the code from the message, and pasting "Kode: 123 456" leaves its digits.',
  props: [
    { name: 'value', type: 'string', about: 'Digits only.' },
    { name: 'onChange', type: '(code: string) => void', about: 'Called with the digits so far.' },
    {
      name: 'onComplete',
      type: '(code: string) => void',
      about: 'Called once with the whole code when its last digit is there.',
    },
    { name: 'digits', type: 'number', default: '6', about: 'How many there are.' },
    {
      name: 'label, help, error, size',
      type: 'as TextField',
      default: "size 'xl'",
      about: 'As those of TextField.',
    },
  ],
  Demo,
};
