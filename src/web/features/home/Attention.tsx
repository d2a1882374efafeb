import { Link } from '#web/browser/router/Link.tsx';
import { ChevronRight, TriangleAlert } from 'lucide-react';
import type { HomeSummary } from '#contract/messages.ts';
import styles from '#web/features/home/home.module.css';
import { Panel } from '#web/ui/panel/Panel.tsx';

type Token = HomeSummary['attention'][number];

const reasons: Record<Token['reason'], string> = {
  under_review: 'Perlu diperiksa: pastikan token ini memang milik usaha Anda.',
  not_linked: 'Belum tersambung ke ponsel. Pindai QR-nya.',
  disconnected: 'Terputus dari ponselnya. Pindai QR lagi.',
  suspended: 'Ditangguhkan. Hubungi layanan pelanggan.',
  expired: 'Masa berlakunya habis: semua panggilannya ditolak. Perpanjang bila masih dipakai.',
  expires_soon: 'Masa berlakunya habis dalam 7 hari. Perpanjang bila masih dipakai.',
  limit_near: 'Hampir mencapai batas harian. Naikkan batasnya bila perlu.',
  webhook_unconfirmed: 'Webhook belum aktif: alamatnya belum menjawab uji coba. Buka webhook.',
  webhook_gone: 'Webhook dimatikan: alamatnya menjawab 410 (tidak dipakai lagi). Buka webhook.',
  webhook_failing: 'Webhook dimatikan: tiga hari pengirimannya gagal semua. Buka webhook.',
  webhook_erring: 'Pengiriman webhook terus gagal. Periksa server penerimanya. Buka webhook.',
};

/** True when it is the token's webhook that has to be looked at, on a page of its own. */
export const isOfWebhook = ({ reason }: Token): boolean => reason.startsWith('webhook_');

/** Where something can be done about it. */
const placeOf = (token: Token): string =>
  isOfWebhook(token)
    ? `/token/webhook?token=${token.token_id}`
    : `/token?open=${token.token_id}${linkable.has(token.reason) ? '&view=link' : ''}`;

/** What pairing its phone mends. */
const linkable: ReadonlySet<Token['reason']> = new Set(['not_linked', 'disconnected']);

/** Tokens that somebody has to do something about; nothing when all is well. */
export function Attention({ tokens }: { tokens: readonly Token[] }) {
  if (tokens.length === 0) return null;
  return (
    <Panel title="Perlu perhatian" look="attention">
      <ul className={styles['attention']}>
        {tokens.map((token) => (
          <li key={`${token.token_id} ${token.reason}`}>
            <Link href={placeOf(token)}>
              <TriangleAlert size={18} aria-hidden="true" />
              <span>
                <bdi className={styles['tokenName']}>{token.name}</bdi>
                <span className={styles['reason']}>{reasons[token.reason]}</span>
              </span>
              <ChevronRight size={18} aria-hidden="true" />
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
