import { Link } from '#web/browser/router/Link.tsx';
import { ChevronRight, TriangleAlert } from 'lucide-react';
import type { HomeSummary } from '#contract/messages.ts';
import styles from '#web/features/home/home.module.css';
import { reasonWords } from '#web/features/home/steps.ts';
import { Panel } from '#web/ui/panel/Panel.tsx';

type Token = HomeSummary['attention'][number];

/** True when the webhook of the token needs attention, which has a page of its own. */
export const isOfWebhook = ({ reason }: Token): boolean => reason.startsWith('webhook_');

const placeOf = (token: Token): string =>
  isOfWebhook(token)
    ? `/token/webhook?token=${token.token_id}`
    : `/token?open=${token.token_id}${linkable.has(token.reason) ? '&view=link' : ''}`;

const linkable: ReadonlySet<Token['reason']> = new Set(['not_linked', 'disconnected']);

export function Attention({ tokens }: { tokens: readonly Token[] }) {
  if (tokens.length === 0) return null;
  return (
    <Panel title="Perlu perhatian">
      <ul className={styles['attention']}>
        {tokens.map((token) => (
          <li key={`${token.token_id} ${token.reason}`}>
            <Link href={placeOf(token)}>
              <TriangleAlert size={18} aria-hidden="true" />
              <span>
                <bdi className={styles['tokenName']}>{token.name}</bdi>
                <span className={styles['reason']}>{reasonWords(token)}</span>
              </span>
              <ChevronRight size={18} aria-hidden="true" />
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
