import { ExternalLink, QrCode } from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { formatPhone } from '#contract/phone.ts';
import { linkToken, type Token } from '#contract/tokens.ts';
import { useAct } from '#web/client/query.ts';
import { Refused } from '#web/features/shell/Refused.tsx';
import { tokenQuery, useTokenChanged } from '#web/features/tokens/queries.ts';
import styles from '#web/features/tokens/tokens.module.css';
import { announce } from '#web/ui/announce.ts';
import { AnchorButton, Button } from '#web/ui/Button.tsx';
import { CopyField } from '#web/ui/CopyField.tsx';
import { Countdown } from '#web/ui/Countdown.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';

const QrImage = lazy(async () => ({
  default: (await import('#web/ui/media/QrImage.tsx')).QrImage,
}));

const QR_PX = 176;
/** How often the token is looked at while a phone is awaited; live events are usually faster. */
const LOOK_MS = 4_000;

const hints = {
  none: 'Buat tautan pindai, lalu buka sendiri atau kirim ke pemilik ponselnya. Di sana QR dipindai dengan WhatsApp.',
  late: 'Tautan tadi sudah kedaluwarsa. Buat yang baru.',
  used: 'Tautan tadi tidak berhasil menyambung. Periksa apakah nomornya sudah dipakai token lain, lalu buat tautan baru.',
};

type Link = { path: string; expires_at: Date };

/** The way from a token to its phone: an address for one scan, or who is connected. */
export function LinkPart({ token, linking }: { token: Token; linking: boolean }) {
  const [link, setLink] = useState<Link>();
  const [ended, setEnded] = useState<'late' | 'used'>();
  const changed = useTokenChanged();
  const make = useAct(linkToken, {
    onSuccess: (made) => {
      setLink(made);
      setEnded(undefined);
      changed();
    },
  });
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!linking) return;
    // `<dialog>` looks for the attribute when it opens; an open one is left to `focus`.
    button.current?.setAttribute('autofocus', '');
    button.current?.focus();
  }, [linking]);
  const connected = token.status === 'linked';
  const awaited = link !== undefined && !connected;
  useQuery({
    ...tokenQuery(token.id),
    enabled: awaited,
    refetchInterval: awaited ? LOOK_MS : false,
  });
  const begun = useRef(false);
  useEffect(() => {
    // A token that waits for its phone and then does not any more: the link came to nothing.
    if (link && begun.current && token.status === 'unlinked') setEnded((why) => why ?? 'used');
    begun.current = token.status === 'linking';
  }, [link, token.status]);
  const arrived = connected && link !== undefined;
  useEffect(() => {
    if (!arrived) return;
    setLink(undefined);
    announce('Ponsel tersambung.');
  }, [arrived]);

  if (token.status === 'suspended') return null;
  if (connected) {
    return (
      <p className={styles['connected']}>
        Tersambung ke <strong className="num">{token.phone && formatPhone(token.phone)}</strong>.
        Token ini siap mengirim dan menerima pesan.
      </p>
    );
  }
  return (
    <section className={styles['part']} data-look="card">
      <h3>Sambungkan ponsel</h3>
      <Refused error={make.error} />
      {link && !ended ? (
        <ScanLink link={link} onEnd={() => setEnded('late')} />
      ) : (
        <p className={styles['text']}>{hints[ended ?? 'none']}</p>
      )}
      <div>
        <Button
          ref={button}
          variant={link && !ended ? 'outline' : 'solid'}
          tone={link && !ended ? 'neutral' : 'primary'}
          icon={<QrCode size={18} aria-hidden="true" />}
          busy={make.busy}
          onClick={() => make.mutate({ token_id: token.id })}
        >
          {link ? 'Buat tautan baru' : 'Buat tautan pindai'}
        </Button>
      </div>
    </section>
  );
}

function ScanLink({ link, onEnd }: { link: Link; onEnd: () => void }) {
  const address = window.location.origin + link.path;
  return (
    <div className={styles['scan']}>
      <Suspense fallback={<Skeleton width={QR_PX} height={QR_PX} />}>
        <QrImage
          text={address}
          size={QR_PX}
          alt="QR alamat halaman pindai, untuk dibuka di ponsel lain"
        />
      </Suspense>
      <div className={styles['scanWords']}>
        <CopyField label="Tautan pindai" value={address} shown={shortened(address)} look="code" />
        <p className={styles['note']}>
          Sekali pakai, berlaku <Countdown until={link.expires_at} onEnd={onEnd} /> lagi.
        </p>
        <div>
          <AnchorButton
            href={link.path}
            target="_blank"
            rel="noopener"
            icon={<ExternalLink size={18} aria-hidden="true" />}
          >
            Buka<span className="sr-only"> halaman pindai (tab baru)</span>
          </AnchorButton>
        </div>
      </div>
    </div>
  );
}

/** An address that is too long to be read, by its two ends. */
const shortened = (address: string): string =>
  `${address.replace(/^https?:\/\//, '').slice(0, -60)}…${address.slice(-6)}`;
