import { ShieldAlert, ShieldCheck, ShieldEllipsis } from 'lucide-react';
import styles from '#web/features/auth/auth.module.css';
import type { Captcha, CaptchaState } from '#web/features/auth/useCaptcha.ts';

const words: Record<CaptchaState, string> = {
  idle: 'Pemeriksaan keamanan berjalan sendiri',
  working: 'Memeriksa keamanan…',
  done: 'Aman',
  failed: 'Pemeriksaan keamanan gagal.',
};
const icons: Record<CaptchaState, typeof ShieldCheck> = {
  idle: ShieldEllipsis,
  working: ShieldEllipsis,
  done: ShieldCheck,
  failed: ShieldAlert,
};

/** What the captcha is doing, in one calm line: nobody has to solve anything by hand. */
export function CaptchaLine({ captcha: { state, start } }: { captcha: Captcha }) {
  const Icon = icons[state];
  return (
    <div className={styles['captcha']} data-state={state}>
      <Icon size={18} aria-hidden="true" />
      <span role="status">{words[state]}</span>
      {state === 'failed' && (
        <button type="button" className={styles['textButton']} onClick={start}>
          Coba lagi
        </button>
      )}
    </div>
  );
}
