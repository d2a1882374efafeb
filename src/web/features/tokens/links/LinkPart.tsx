import { later } from '#web/browser/lazyComponent.ts';
import { ExternalLink, Link2, QrCode } from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { formatPhone } from '#contract/base/phone.ts';
import { type Token, linkToken } from '#contract/tokens.ts';
import { type LinkFailure, consentScan, getScan, linkFailures } from '#contract/scan.ts';
import { useAct } from '#web/api/query.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { useTokenChanged } from '#web/features/tokens/queries.ts';
import { tokenQuery } from '#web/api/allTokens.ts';
import styles from '#web/features/tokens/tokens.module.css';
import { classes } from '#web/ui/classes.ts';
import { announce } from '#web/ui/announce/announce.ts';
import { AnchorButton, Button } from '#web/ui/button/Button.tsx';
import { CopyField } from '#web/ui/copy/CopyField.tsx';
import { Countdown } from '#web/ui/time/Countdown.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

const QrImage = later(() => import('#web/ui/qr/QrImage.tsx'));
const ScanHere = later(() => import('#web/features/tokens/links/ScanHere.tsx'));

const QR_PX = 264;
/** Large enough for a camera: an address makes many modules. */
const ADDRESS_QR_PX = 220;
/** The poll interval of the token while it waits for a phone; live events are usually faster. */
const LOOK_MS = 4_000;

const endings = {
  late: 'QR atau tautan tadi sudah kedaluwarsa. Buat yang baru.',
  used: 'Penyambungan tadi gagal. Periksa apakah nomornya sudah dipakai token lain, lalu coba sekali lagi.',
  ...linkFailures,
};

/** An address for one scan; with `nonce` this browser has consented, and shows the QR itself. */
type Link = { path: string; expires_at: Date; nonce?: string };

/** @param atOnce shows the QR without being asked, once. */
function useLink(token: Token, atOnce: boolean) {
  const connected = token.status === 'linked';
  const [isFirst, setFirst] = useState(atOnce && !connected && token.status !== 'suspended');
  const [link, setLink] = useState<Link>();
  const [ended, setEnded] = useState<'late' | 'used' | LinkFailure>();
  const changed = useTokenChanged();
  const make = useAct(linkToken);
  const agree = useAct(consentScan);
  const { perform: look } = useAct(getScan);
  const begin = async (here: boolean, phone?: string) => {
    const made = await make.perform({ token_id: token.id });
    const data = made.path.slice('/scan/'.length);
    setLink(here ? { ...made, ...(await agree.perform({ data, phone })) } : made);
    setEnded(undefined);
    changed();
  };
  /** Failures are in `error`. */
  const tryToBegin = (here: boolean, phone?: string) =>
    void begin(here, phone)
      .catch(() => undefined)
      .finally(() => setFirst(false));
  const isRequested = useRef(false);
  useEffect(() => {
    if (!isFirst || isRequested.current) return;
    isRequested.current = true;
    tryToBegin(true);
  });
  const awaited = link !== undefined && !connected;
  useQuery({
    ...tokenQuery(token.id),
    enabled: awaited,
    refetchInterval: awaited ? LOOK_MS : false,
  });
  const begun = useRef(false);
  useEffect(() => {
    // The token no longer waits for its phone: the link failed.
    if (link && begun.current && token.status === 'unlinked') {
      const { nonce, path } = link;
      look({ data: path.slice('/scan/'.length), ...(nonce !== undefined && { nonce }) }).then(
        ({ failure }) => setEnded((why) => why ?? failure ?? 'used'),
        () => setEnded((why) => why ?? 'used'),
      );
    }
    begun.current = token.status === 'linking';
  }, [link, look, token.status]);
  const loadModule = connected && link !== undefined;
  useEffect(() => {
    if (!loadModule) return;
    setLink(undefined);
    announce('Ponsel tersambung.');
  }, [loadModule]);
  return {
    live: ended ? undefined : link,
    ended,
    end: () => setEnded('late'),
    busy: isFirst || make.busy || agree.busy,
    error: make.error ?? agree.error,
    /** With `here` this browser consents, and shows the QR; `phone` is a number for a pairing code. */
    begin: tryToBegin,
  };
}

type Props = {
  token: Token;
  /** The person asked to link it: the QR is shown at once. */
  linking: boolean;
  /** Shows the QR at once on a page of which this is a part, and leaves the page where it is. */
  atOnce?: boolean;
  /** The risk of linking: without `linking` or `atOnce` the QR then waits for a click, which is the consent. */
  risk?: ReactNode;
  /** The network restricts the number, as stated above. */
  restricted?: boolean;
};

/**
 * Links a phone by a QR here or an address for one scan; shows the connected phone. While another link of the token is
 * open, a new QR waits for a click: it would end that link.
 */
export function LinkPart({ token, linking, atOnce = false, risk, restricted = false }: Props) {
  const [isNew] = useState(atOnce || (token.status === 'unlinked' && risk === undefined));
  const { live, ended, end, busy, error, begin } = useLink(token, linking || isNew);
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    // A token that opens with its QR stays at its top.
    if (live && (linking || !isNew)) section.current?.scrollIntoView({ block: 'start' });
  }, [live, linking, isNew]);

  if (token.status === 'suspended') return null;
  if (token.status === 'linked') return <Connected token={token} restricted={restricted} />;
  const here = live?.nonce;
  return (
    <section ref={section} className={styles['part']} data-look="card">
      <h4>Sambungkan ponsel</h4>
      <RefusalAlert error={error} />
      <Alert
        state={ended === 'late' ? 'warning' : 'danger'}
        visible={!live && ended !== undefined}
        label={ended && endings[ended]}
      />
      {!live && !busy && (
        <p className="muted">
          Bila ponselnya di tangan Anda, tampilkan QR di sini, lalu pindai dengan ponsel itu. Bila
          dipegang orang lain, kirimkan tautan pindai kepadanya.
        </p>
      )}
      {risk}
      {!live && busy && <Skeleton width={QR_PX} height={QR_PX} />}
      {live && here !== undefined && (
        <Suspense fallback={<Skeleton width={QR_PX} height={QR_PX} />}>
          <ScanHere
            key={here}
            path={live.path}
            nonce={here}
            onEnd={end}
            onRenew={(phone) => busy || begin(true, phone)}
          />
        </Suspense>
      )}
      {live && here === undefined && <ScanLink link={live} onEnd={end} />}
      <div className="flex wrap gap-8">
        {here === undefined && (
          <Button
            variant={live ? 'outline' : 'solid'}
            icon={<QrCode size={18} />}
            busy={busy}
            onClick={() => begin(true)}
          >
            {ended ? 'Tampilkan QR baru' : 'Tampilkan QR'}
          </Button>
        )}
        <Button
          variant="outline"
          icon={<Link2 size={18} />}
          busy={busy}
          onClick={() => begin(false)}
        >
          {live && here === undefined ? 'Buat tautan baru' : 'Buat tautan pindai'}
        </Button>
      </div>
    </section>
  );
}

type ConnectedProps = { token: Token; restricted: boolean };

const Connected = ({ token: { phone }, restricted }: ConnectedProps) => (
  <p className="py-12 px-12 rounded text-success soft-success">
    Tersambung ke <strong className="num">{phone && formatPhone(phone)}</strong>
    {restricted ? ', dengan pembatasan di atas.' : '. Token ini siap mengirim dan menerima pesan.'}
  </p>
);

function ScanLink({ link, onEnd }: { link: Link; onEnd: () => void }) {
  const address = window.location.origin + link.path;
  return (
    <>
      <CopyField label="Tautan pindai" value={address} shown={shortened(address)} look="code" />
      <p className="small faint">
        Sekali pakai, berlaku <Countdown until={link.expires_at} onEnd={onEnd} /> lagi.
      </p>
      <div>
        <AnchorButton
          href={link.path}
          target="_blank"
          rel="noopener"
          icon={<ExternalLink size={18} />}
        >
          Buka<span className="sr-only"> halaman pindai (tab baru)</span>
        </AnchorButton>
      </div>
      <details className={classes('small muted folded', styles['elsewhere'])}>
        <summary>Buka di ponsel lain</summary>
        <div className={classes('flex wrap align-start gap-16', styles['scan'])}>
          <Suspense fallback={<Skeleton width={ADDRESS_QR_PX} height={ADDRESS_QR_PX} />}>
            <QrImage text={address} size={ADDRESS_QR_PX} alt="QR tautan ini: buka di ponsel lain" />
          </Suspense>
          <p className="small faint">
            QR ini hanya membuka tautan di atas, dengan kamera ponsel biasa. Ponsel yang
            disambungkan memindai QR lain, di halaman yang terbuka.
          </p>
        </div>
      </details>
    </>
  );
}

const shortened = (address: string): string =>
  `${address.replace(/^https?:\/\//, '').slice(0, -60)}…${address.slice(-6)}`;
