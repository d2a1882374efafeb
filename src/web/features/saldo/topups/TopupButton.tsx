import type { ReactNode } from 'react';
import { Link } from '#web/browser/router/Link.tsx';
import {
  TOPUP_LIMIT_ID,
  type TopupLimit,
  useTopupLimit,
} from '#web/features/saldo/topups/limit.ts';
import { Button, type ButtonLook, LinkButton } from '#web/ui/button/Button.tsx';
import { LimitedButton } from '#web/ui/button/LimitedButton.tsx';

type Props = ButtonLook & {
  /** In rupiah; proposed in the form. */
  amount?: number;
  /** The code of the plan that a top-up is for; once paid, it links back to that plan. */
  plan?: string | undefined;
  /** On `/saldo`, which shows the limit once for all its buttons, and keeps its filters and its place. */
  onSaldo?: boolean;
  children?: ReactNode;
};

/** Opens a new top-up. At a limit it is disabled, with the reason and the way out. */
export function TopupButton({
  amount,
  plan,
  onSaldo = false,
  children = 'Isi saldo',
  ...look
}: Props) {
  const limit = useTopupLimit();
  if (limit === undefined) {
    return (
      <LinkButton
        {...look}
        to="/saldo"
        change={{ new: '1', open: undefined, amount, ...(plan !== undefined && { plan }) }}
        resetScroll={!onSaldo}
      >
        {children}
      </LinkButton>
    );
  }
  if (!onSaldo) {
    return (
      <LimitedButton {...look} reason={<LimitReason limit={limit} />}>
        {children}
      </LimitedButton>
    );
  }
  return (
    <Button {...look} disabled aria-describedby={TOPUP_LIMIT_ID}>
      {children}
    </Button>
  );
}

type ReasonProps = Pick<Props, 'onSaldo'> & { limit: TopupLimit };

/** The reason of a limit and the way out: its unpaid top-ups, which the address of a new one lists, or support. */
export const LimitReason = ({ limit: { reason, hasOpen }, onSaldo = false }: ReasonProps) => (
  <>
    {reason}{' '}
    {hasOpen ? (
      <Link to="/saldo" change={{ new: '1', open: undefined }} resetScroll={!onSaldo}>
        Lihat yang menunggu
      </Link>
    ) : (
      <Link to="/customer-service">Hubungi Layanan Pelanggan</Link>
    )}
  </>
);
