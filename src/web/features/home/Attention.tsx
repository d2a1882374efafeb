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
};

/** Tokens that somebody has to do something about; nothing when all is well. */
export function Attention({ tokens }: { tokens: readonly Token[] }) {
  if (tokens.length === 0) return null;
  return (
    <Panel title="Perlu perhatian" look="attention">
      <ul className={styles['attention']}>
        {tokens.map(({ token_id, name, reason }) => (
          <li key={token_id}>
            <Link
              to="/token"
              search={{
                open: token_id,
                ...(reason === 'not_linked' || reason === 'disconnected' ? { view: 'link' } : {}),
              }}
            >
              <TriangleAlert size={18} aria-hidden="true" />
              <span>
                <bdi className={styles['tokenName']}>{name}</bdi>
                <span className={styles['reason']}>{reasons[reason]}</span>
              </span>
              <ChevronRight size={18} aria-hidden="true" />
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
