import { Plus } from 'lucide-react';
import { formatNumber } from '#contract/base/money.ts';
import type { Subscription } from '#contract/billing.ts';
import { Link } from '#web/browser/router/Link.tsx';
import styles from '#web/features/tokens/tokens.module.css';
import { classes } from '#web/ui/classes.ts';
import { Button } from '#web/ui/button/Button.tsx';

/** The plan's number of tokens once all are used; `undefined` while there is room, or it is unknown. */
export const fullTokens = (subscription: Subscription | undefined): number | undefined =>
  subscription && subscription.tokens_used >= subscription.plan.tokens
    ? subscription.plan.tokens
    : undefined;

/** `Paket Anda hanya untuk 1 token.` */
export const fullSentence = (tokens: number): string =>
  `Paket Anda hanya untuk ${formatNumber(tokens)} token.`;

const REASON = 'token-penuh';

type Props = { full: number | undefined; isMain: boolean; onAdd: () => void };

/** Opens the form for a token; disabled if the plan has no room for another. */
export const AddToken = ({ full, isMain, onAdd }: Props) => (
  <Button
    variant={isMain ? 'solid' : 'outline'}
    tone="primary"
    disabled={full !== undefined}
    aria-describedby={full === undefined ? undefined : REASON}
    icon={<Plus size={18} />}
    onClick={onAdd}
  >
    Tambah token
  </Button>
);

/** Why no token can be added, and where to change that. */
export const FullReason = ({ full }: { full: number }) => (
  <p id={REASON} className={classes('small muted text-end', styles['full'])}>
    {fullSentence(full)} <Link to="/billing">Pilih paket yang lebih besar</Link>
  </p>
);
