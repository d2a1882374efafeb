import { ArrowRightLeft, RotateCcwKey, Trash2, Unplug } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { formatPhone } from '#contract/base/phone.ts';
import { rotateToken, unlinkToken, type Token } from '#contract/tokens.ts';
import { PasswordQuestion } from '#web/features/auth/auth.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { KeyDialog } from '#web/features/tokens/keys/KeyDialog.tsx';
import { useTokenChanged } from '#web/features/tokens/queries.ts';
import styles from '#web/features/tokens/tokens.module.css';
import { useRemoveToken } from '#web/features/tokens/drawer/useRemoveToken.tsx';
import { AskSupport } from '#web/features/support/support.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import type { Question } from '#web/ui/overlay/question.ts';

const MoveToken = lazy(async () => ({
  default: (await import('#web/features/tokens/channels/MoveToken.tsx')).MoveToken,
}));

type Props = { token: Token; onGone: () => void };

export function TokenActions({ token, onGone }: Props) {
  const [key, setKey] = useState<string>();
  const changed = useTokenChanged();
  const rotate = useAct(rotateToken);
  const unlink = useAct(unlinkToken);
  const askRemove = useRemoveToken(token, onGone);
  const which = { token_id: token.id };
  const ask = (words: Question, onConfirm: () => Promise<void>) =>
    confirm({ cancelText: 'Batal', sentenceOf, ...words, onConfirm });

  const askRotate = () =>
    ask(rotateWords, async () => {
      const made = await rotate.perform(which);
      changed(made.token);
      setKey(made.key);
    });
  const askUnlink = () => ask(unlinkWords(token), async () => changed(await unlink.perform(which)));

  const outline = { variant: 'outline', tone: 'neutral' } as const;
  return (
    <section className={styles['part']}>
      <h3>Tindakan</h3>
      <div className={styles['actions']}>
        <Button
          {...outline}
          icon={<RotateCcwKey size={18} aria-hidden="true" />}
          onClick={() => void askRotate()}
        >
          Ganti kunci
        </Button>
        {token.phone && (
          <Button
            {...outline}
            icon={<Unplug size={18} aria-hidden="true" />}
            onClick={() => void askUnlink()}
          >
            {token.channel === 'cloud' ? 'Putuskan nomor' : 'Putuskan ponsel'}
          </Button>
        )}
        <Move token={token} />
        <Button
          {...outline}
          tone="danger"
          icon={<Trash2 size={18} aria-hidden="true" />}
          onClick={() => void askRemove()}
        >
          Hapus token
        </Button>
        <AskSupport about="token" id={token.id} />
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

function Move({ token }: { token: Token }) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button
        variant="outline"
        tone="neutral"
        icon={<ArrowRightLeft size={18} aria-hidden="true" />}
        onClick={() => setOpen(true)}
      >
        Pindah kanal
      </Button>
      {isOpen && (
        <Suspense>
          <MoveToken token={token} onClose={close} onMoved={close} />
        </Suspense>
      )}
    </>
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

const unlinkWords = ({ phone, channel }: Token): Question => ({
  title: channel === 'cloud' ? 'Putuskan nomor?' : 'Putuskan ponsel?',
  children: (
    <p>
      Token ini tidak dapat mengirim lagi lewat {phone ? formatPhone(phone) : 'ponselnya'} sampai{' '}
      {channel === 'cloud'
        ? 'nomornya disambungkan kembali. Access token dan app secret-nya dihapus.'
        : 'QR dipindai kembali.'}{' '}
      Riwayat pesan tetap ada.
    </p>
  ),
  confirmText: 'Putuskan',
});
