import { RotateCcwKey } from 'lucide-react';
import { useState } from 'react';
import { rotateToken, type Token } from '#contract/tokens.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { KeyDialog } from '#web/features/tokens/keys/KeyDialog.tsx';
import { useTokenChanged } from '#web/features/tokens/queries.ts';
import styles from '#web/features/tokens/tokens.module.css';
import { Button } from '#web/ui/button/Button.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';

/** The last characters of the API key, and its replacement. */
export function TokenKey({ token }: { token: Token }) {
  const [key, setKey] = useState<string>();
  const changed = useTokenChanged();
  const rotate = useAct(rotateToken);
  const askRotate = () =>
    confirm({
      title: 'Ganti kunci API?',
      children: (
        <p>Kunci baru ditampilkan sekali. Kunci lama masih berlaku 24 jam, lalu ditolak.</p>
      ),
      cancelText: 'Batal',
      confirmText: 'Ganti kunci',
      tone: 'primary',
      sentenceOf,
      onConfirm: async () => {
        const made = await rotate.perform({ token_id: token.id });
        changed(made.token);
        setKey(made.key);
      },
    });
  return (
    <section className={styles['part']}>
      <h4>Kunci API</h4>
      <p className={styles['text']}>
        Kunci yang berlaku berakhir dengan{' '}
        <code aria-label={token.key_hint}>••••{token.key_hint}</code>.
      </p>
      <div>
        <Button
          variant="outline"
          tone="neutral"
          icon={<RotateCcwKey size={18} aria-hidden="true" />}
          onClick={() => void askRotate()}
        >
          Ganti kunci
        </Button>
      </div>
      {key !== undefined && (
        <KeyDialog
          title="Kunci baru"
          secret={key}
          channel={token.channel}
          note="Kunci lama masih berlaku 24 jam."
          onClose={() => setKey(undefined)}
        />
      )}
    </section>
  );
}
