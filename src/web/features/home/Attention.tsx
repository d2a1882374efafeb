import type { ReactNode } from 'react';
import { Link } from '#web/browser/router/Link.tsx';
import { ChevronRight, TriangleAlert } from 'lucide-react';
import { formatNumber } from '#contract/base/money.ts';
import { formatDateTimeZone } from '#contract/base/time.ts';
import type { HomeSummary } from '#contract/messages.ts';
import { useUser } from '#web/api/user.ts';
import { reasonWords } from '#web/features/home/steps.ts';
import { Panel } from '#web/ui/panel/Panel.tsx';
import styles from '#web/features/home/home.module.css';
import { classes } from '#web/ui/classes.ts';

type Token = HomeSummary['attention'][number];

/** True when the webhook of the token needs attention, which has a page of its own. */
export const isOfWebhook = ({ reason }: Token): boolean => reason.startsWith('webhook_');

const placeOf = (token: Token): string =>
  isOfWebhook(token)
    ? `/token/webhook?token=${token.token_id}`
    : `/token?open=${token.token_id}${linkable.has(token.reason) ? '&view=link' : ''}`;

const linkable: ReadonlySet<Token['reason']> = new Set(['not_linked', 'disconnected']);

type Props = {
  tokens: readonly Token[];
  plan: HomeSummary['unpaid_plan'];
  paused?: HomeSummary['paused'];
};

/** Lists the tasks of the owner: an unpaid plan, broadcasts that paused by themselves, then tokens. */
export function Attention({ tokens, plan, paused = [] }: Props) {
  const zone = useUser().timezone;
  if (!plan && tokens.length + paused.length === 0) return null;
  return (
    <Panel title="Perlu perhatian">
      <ul className={classes('py-4 px-16 rounded-lg', styles['attention'])}>
        {plan && (
          <Item href="/billing" name={`Paket ${plan.name}`}>
            {planWords(plan, zone)}
          </Item>
        )}
        {paused.map(({ id, name, waiting }) => (
          <Item key={id} href={`/message-history/kiriman?open=${id}`} name={name}>
            Kiriman dijeda, {formatNumber(waiting)} penerima menunggu. Buka untuk melanjutkan.
          </Item>
        ))}
        {tokens.map((token) => (
          <Item key={`${token.token_id} ${token.reason}`} href={placeOf(token)} name={token.name}>
            {reasonWords(token)}
          </Item>
        ))}
      </ul>
    </Panel>
  );
}

function planWords(
  { status, grace_until: until }: NonNullable<HomeSummary['unpaid_plan']>,
  zone: string,
): string {
  if (status === 'suspended') return 'Ditangguhkan karena belum dibayar. Buka untuk melanjutkan.';
  return until
    ? `Belum dibayar. Kuota dan harganya berlaku sampai ${formatDateTimeZone(until, zone)}.`
    : 'Belum dibayar. Buka untuk membayar.';
}

const Item = ({ href, name, children }: { href: string; name: string; children: ReactNode }) => (
  <li>
    <Link href={href}>
      <TriangleAlert size={18} aria-hidden="true" />
      <span>
        <bdi className={classes('block ink strong', styles['tokenName'])}>{name}</bdi>
        <span className="block small">{children}</span>
      </span>
      <ChevronRight size={18} aria-hidden="true" />
    </Link>
  </li>
);
