import { ExternalLink, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatDate } from '#contract/base/time.ts';
import { formatNumber } from '#contract/base/money.ts';
import type { OperatorThread } from '#contract/operator/support.ts';
import { tokenStatusLabel, type TokenStatus } from '#contract/tokens.ts';
import { useUser } from '#web/api/user.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { customerUrl } from '#web/features/operator/support/address.ts';
import styles from '#web/features/operator/support/customer/CustomerPanel.module.css';
import { Money } from '#web/ui/money/Money.tsx';
import { StatusChip, type Tone } from '#web/ui/status/StatusChip.tsx';

const tones: Record<TokenStatus, Tone> = {
  unlinked: 'neutral',
  linking: 'info',
  linked: 'success',
  disconnected: 'danger',
  suspended: 'warning',
};

const statusChips = {
  active: undefined,
  suspended: { tone: 'warning', word: 'Ditangguhkan' },
  closed: { tone: 'danger', word: 'Akun ditutup' },
} as const;

export function CustomerPanel({ thread }: { thread: OperatorThread }) {
  const zone = useUser().timezone;
  const { account_id, account_name, phone, customer, rating } = thread;
  const state = statusChips[customer.status];
  return (
    <div className={styles['panel']}>
      <header className={styles['who']}>
        <h3 className={styles['name']}>
          <bdi>{account_name}</bdi>
        </h3>
        <p className={styles['phone']}>{phone || 'Tanpa nomor'}</p>
        {state && <StatusChip tone={state.tone}>{state.word}</StatusChip>}
      </header>
      <dl className={styles['facts']}>
        <Fact term="Saldo">
          <Money amount={customer.available} />
        </Fact>
        <Fact term="Paket">{customer.plan}</Fact>
        <Fact term="Pelanggan sejak">{formatDate(customer.since, zone)}</Fact>
        <Fact term="Gagal 24 jam">
          {customer.failed > 0 ? (
            <Link href={customerUrl(account_id)} className={styles['failed']}>
              <TriangleAlert size={14} aria-hidden="true" />
              {formatNumber(customer.failed)} pesan
            </Link>
          ) : (
            'Tidak ada'
          )}
        </Fact>
        {rating.score !== null && <Fact term="Nilai terakhir">{rating.score} dari 5</Fact>}
      </dl>
      <Tokens accountId={account_id} tokens={customer.tokens} />
      <Link href={customerUrl(account_id)} className={styles['all']}>
        Buka data pelanggan
        <ExternalLink size={14} aria-hidden="true" />
      </Link>
    </div>
  );
}

const Fact = ({ term, children }: { term: string; children: ReactNode }) => (
  <div>
    <dt>{term}</dt>
    <dd>{children}</dd>
  </div>
);

type TokensProps = {
  accountId: string;
  tokens: OperatorThread['customer']['tokens'];
};

const Tokens = ({ accountId, tokens }: TokensProps) => (
  <section aria-label="Token">
    <h4 className={styles['title']}>Token</h4>
    {tokens.length === 0 ? (
      <p className={styles['none']}>Belum punya token.</p>
    ) : (
      <ul className={styles['tokens']}>
        {tokens.map(({ id, name, status }) => (
          <li key={id}>
            <Link href={customerUrl(accountId, { type: 'token', id })}>
              <bdi>{name}</bdi>
            </Link>
            <StatusChip tone={isTokenStatus(status) ? tones[status] : 'neutral'}>
              {isTokenStatus(status) ? tokenStatusLabel[status] : status}
            </StatusChip>
          </li>
        ))}
      </ul>
    )}
  </section>
);

const isTokenStatus = (status: string): status is TokenStatus =>
  Object.hasOwn(tokenStatusLabel, status);
