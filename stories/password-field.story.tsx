import { useState } from 'react';
import styles from '#stories/gallery/fields.module.css';
import type { Piece } from '#stories/gallery/piece.ts';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import { PasswordField, Strength } from '#web/ui/form/PasswordField.tsx';

const levels = [
  { level: 0, word: 'Kurang 3 karakter' },
  { level: 1, word: 'Mudah ditebak' },
  { level: 2, word: 'Cukup' },
  { level: 3, word: 'Kuat' },
  { level: 4, word: 'Sangat kuat' },
] as const;

function Demo() {
  const [password, setPassword] = useState('');
  const level = levels[Math.min(4, Math.floor(password.length / 4))] ?? levels[0];
  return (
    <>
      <Show title="To sign in">
        <div className={styles['column']}>
          <PasswordField label="Kata sandi" autoComplete="current-password" required />
        </div>
      </Show>
      <Show title="A new one, with its strength">
        <div className={styles['column']}>
          <PasswordField
            label="Kata sandi baru"
            autoComplete="new-password"
            help="Minimal 8 karakter."
            strength={password !== '' && <Strength {...level} />}
            value={password}
            onChange={({ target }) => setPassword(target.value)}
          />
          <Emitted of="Password length">{password.length}</Emitted>
        </div>
      </Show>
      <Show title="Error">
        <div className={styles['column']}>
          <PasswordField
            label="Ulangi kata sandi"
            autoComplete="new-password"
            error="Kedua kata sandi tidak sama."
          />
        </div>
      </Show>
      <Show title="Strength">
        {levels.map((one) => (
          <Strength key={one.level} {...one} />
        ))}
      </Show>
    </>
  );
}

export const piece: Piece = {
  id: 'password-field',
  title: 'PasswordField',
  about:
    'A password with a button to show it, which keeps the caret and the focus where they are. Says when Caps Lock is on; pasting is never blocked; the strength is words with a bar, not a bar alone.',
  props: [
    {
      name: 'autoComplete',
      type: "'current-password' | 'new-password'",
      about: 'Which of the two it is: password managers go by it.',
    },
    {
      name: 'strength',
      type: 'ReactNode',
      about: 'How strong it is, in words; read out as it changes. Strength draws the usual one.',
    },
    {
      name: 'label, help, error, size, aside',
      type: 'as TextField',
      about: 'As those of TextField.',
    },
  ],
  Demo,
};
