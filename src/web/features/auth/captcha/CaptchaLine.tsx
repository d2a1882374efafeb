import { Shield } from 'lucide-react';
import styles from '#web/features/auth/auth.module.css';
import { classes } from '#web/ui/classes.ts';
import type { Captcha } from '#web/features/auth/captcha/useCaptcha.ts';
import type { CaptchaState } from '#web/features/auth/captcha/captcha.ts';

const words: Record<CaptchaState, string> = {
  idle: 'Pemeriksaan keamanan berjalan otomatis',
  working: 'Memeriksa keamanan…',
  asking: 'Selesaikan pemeriksaan keamanan di atas.',
  done: 'Aman',
  failed: 'Pemeriksaan keamanan gagal.',
};

const looks: Partial<Record<CaptchaState, string>> = {
  done: 'text-success',
  failed: 'text-danger',
};

export function CaptchaLine({ captcha }: { captcha: Captcha }) {
  const { state, progress, container, start } = captcha;
  const isSlow = progress !== undefined;
  return (
    <div>
      <div ref={container} className={classes('hide-empty mb-8', styles['widget'])} />
      <div
        className={classes('row gap-8 small min-h-24', looks[state] ?? 'faint', styles['captcha'])}
        data-state={state}
      >
        <Shield size={18} />
        <span role="status">
          {words[state]}
          {isSlow && ' Biarkan halaman ini terbuka.'}
        </span>
        {isSlow && (
          <>
            <progress max={1} value={progress} aria-label="Kemajuan pemeriksaan" />
            <span className="num" aria-hidden="true">
              {Math.floor(100 * progress)}%
            </span>
          </>
        )}
        {state === 'failed' && (
          <button type="button" className="min-h-24 link strong underline" onClick={start}>
            Coba lagi
          </button>
        )}
      </div>
    </div>
  );
}
