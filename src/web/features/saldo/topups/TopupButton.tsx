import { type ReactNode, useId } from 'react';
import { Link } from '#web/browser/router/Link.tsx';
import {
  TOPUP_LIMIT_ID,
  type TopupLimit,
  useTopupLimit,
} from '#web/features/saldo/topups/limit.ts';
import styles from '#web/features/saldo/topups/TopupButton.module.css';
import { Button, type ButtonLook, LinkButton } from '#web/ui/button/Button.tsx';

type Props = ButtonLook & {
  /** In rupiah; proposed in the form. */
  amount?: number;
  /** On `/saldo`, which shows the limit once for all its buttons, and keeps its filters and its place. */
  onSaldo?: boolean;
  children?: ReactNode;
};

/** Opens a new top-up. At a limit it is disabled, with the reason and the way out. */
export function TopupButton({ amount, onSaldo = false, children = 'Isi saldo', ...look }: Props) {
  const id = useId();
  const limit = useTopupLimit();
  if (limit === undefined) {
    return (
      <LinkButton
        {...look}
        to="/saldo"
        change={{ new: '1', open: undefined, amount }}
        resetScroll={!onSaldo}
      >
        {children}
      </LinkButton>
    );
  }
  const button = (
    <Button {...look} disabled aria-describedby={onSaldo ? TOPUP_LIMIT_ID : id}>
      {children}
    </Button>
  );
  if (onSaldo) return button;
  return (
    <span className={styles['limited']}>
      {button}
      <span id={id} className={styles['limit']}>
        <LimitReason limit={limit} />
      </span>
    </span>
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
