import { ArrowRightLeft, Trash2, Unplug } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { formatPhone } from '#contract/base/phone.ts';
import { unlinkToken, type Token } from '#contract/tokens.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { useTokenChanged } from '#web/features/tokens/queries.ts';
import styles from '#web/features/tokens/tokens.module.css';
import { useRemoveToken } from '#web/features/tokens/drawer/useRemoveToken.tsx';
import { AskSupport } from '#web/features/support/support.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import type { Question } from '#web/ui/overlay/ConfirmDialog.tsx';

const MoveToken = lazy(async () => ({
  default: (await import('#web/features/tokens/channels/MoveToken.tsx')).MoveToken,
}));

type Props = { token: Token; onGone: () => void };

export function TokenActions({ token, onGone }: Props) {
  const changed = useTokenChanged();
  const unlink = useAct(unlinkToken);
  const askRemove = useRemoveToken(token, onGone);
  const askUnlink = () =>
    confirm({
      cancelText: 'Batal',
      sentenceOf,
      ...unlinkWords(token),
      onConfirm: async () => changed(await unlink.perform({ token_id: token.id })),
    });

  const outline = { variant: 'outline', tone: 'neutral' } as const;
  return (
    <section className={styles['part']}>
      <h4>Tindakan</h4>
      <div className={styles['actions']}>
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
