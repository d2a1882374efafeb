import { RotateCcwKey } from 'lucide-react';
import { useState } from 'react';
import { rotateToken, type Token } from '#contract/tokens.ts';
import { PasswordQuestion } from '#web/features/auth/auth.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { KeyDialog } from '#web/features/tokens/keys/KeyDialog.tsx';
import { useTokenChanged } from '#web/features/tokens/queries.ts';
import styles from '#web/features/tokens/tokens.module.css';
import { Button } from '#web/ui/button/Button.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import type { Question } from '#web/ui/overlay/ConfirmDialog.tsx';

/** The last characters of the API key, and its replacement; the first token of an account begins without a key. */
export function TokenKey({ token }: { token: Token }) {
  const [made, setMade] = useState<{ key: string; isFirst: boolean }>();
  const changed = useTokenChanged();
  const rotate = useAct(rotateToken);
  const hasKey = token.key_hint !== '';
  const askKey = () =>
    confirm({
      cancelText: 'Batal',
      sentenceOf,
      ...(hasKey ? rotateWords : makeWords),
      onConfirm: async () => {
        const { token: renewed, key } = await rotate.perform({ token_id: token.id });
        changed(renewed);
        setMade({ key, isFirst: !hasKey });
      },
    });
  return (
    <section className={styles['part']}>
      <h4>Kunci API</h4>
      <p className={styles['text']}>
        {hasKey ? (
          <>
            Kunci yang berlaku berakhir dengan{' '}
            <code aria-label={token.key_hint}>••••{token.key_hint}</code>.
          </>
        ) : (
          'Belum ada. Buat bila sistem Anda akan mengirim pesan.'
        )}
      </p>
      <div>
        <Button
          variant="outline"
          tone="neutral"
          icon={<RotateCcwKey size={18} aria-hidden="true" />}
          onClick={() => void askKey()}
        >
          {hasKey ? 'Ganti kunci' : 'Buat kunci'}
        </Button>
      </div>
      {made && (
        <KeyDialog
          title="Kunci baru"
          secret={made.key}
          channel={token.channel}
          {...(!made.isFirst && { note: 'Kunci lama masih berlaku 24 jam.' })}
          onClose={() => setMade(undefined)}
        />
      )}
    </section>
  );
}

const rotateWords: Question = {
  title: 'Ganti kunci API?',
  children: (
    <>
      <p>Kunci baru ditampilkan sekali. Kunci lama masih berlaku 24 jam, lalu ditolak.</p>
      <PasswordQuestion of={rotateToken} />
    </>
  ),
  confirmText: 'Ganti kunci',
  tone: 'primary',
};

const makeWords: Question = {
  title: 'Buat kunci API?',
  children: (
    <>
      <p>Sistem Anda mengirim pesan lewat token ini dengan kuncinya. Kunci ditampilkan sekali.</p>
      <PasswordQuestion of={rotateToken} />
    </>
  ),
  confirmText: 'Buat kunci',
  tone: 'primary',
};
