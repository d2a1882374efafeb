import { ChevronDown, CreditCard, Landmark, QrCode } from 'lucide-react';
import { useId } from 'react';
import type { TopupMethod } from '#contract/saldo.ts';
import { topupMethodLabel } from '#contract/saldo.ts';
import { sentenceOf } from '#web/api/errors.ts';
import {
  arranged,
  type Method,
  type MethodGroup,
  unfitFor,
  waitsFor,
} from '#web/features/saldo/topups/methods.ts';
import styles from '#web/features/saldo/saldo.module.css';
import { classes } from '#web/ui/classes.ts';
import type { Methods as Offer } from '#web/features/saldo/topups/useMethods.ts';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

const icons: Partial<Record<TopupMethod, typeof QrCode>> = {
  qris: QrCode,
  snap: CreditCard,
  xendit: CreditCard,
};

const noteOf = ({ method, minutes }: Method): string => {
  const wait = waitsFor(minutes);
  if (method === 'qris') return `Dari aplikasi bank atau dompet digital mana pun, ${wait}`;
  if (method === 'bank') return `Ditambah kode unik sampai Rp\u00A0999, ${wait}`;
  if (method === 'snap' || method === 'xendit') return `Di halaman pembayaran, ${wait}`;
  return `Nomor bayar khusus untuk Anda, ${wait}`;
};

type Props = {
  offer: Offer;
  amount: number | undefined;
  selected: TopupMethod | undefined;
  error: string | undefined;
  onChange: (method: TopupMethod) => void;
};

/** The payment methods of a top-up. If they cannot be loaded, there is still the bank transfer. */
export function Methods({ offer, amount, selected, error, onChange }: Props) {
  const id = useId();
  if (offer.isPending) {
    return (
      <div className={classes('stack gap-10 min-w-0', styles['methods'])} aria-busy="true">
        <Skeleton height={66} />
        <Skeleton height={118} />
        <Skeleton height={66} />
      </div>
    );
  }
  if (!offer.methods) {
    return (
      <p className="muted">
        Pembayaran lewat transfer bank.{' '}
        <span role="status">Cara lain tidak dapat dimuat: {sentenceOf(offer.error)}</span>{' '}
        <button
          type="button"
          className={classes('link underline', styles['retry'])}
          onClick={() => void offer.refetch()}
        >
          Coba lagi
        </button>
      </p>
    );
  }
  const { last } = offer;
  const { shown, folded } = arranged(offer.methods, last);
  const kinds = { name: id, last, amount, selected, onChange };
  const isFoldedSelected = folded.some(({ methods }) =>
    methods.some(({ method }) => method === selected),
  );
  return (
    <fieldset
      role="radiogroup"
      // After a refusal the form focuses the error.
      tabIndex={-1}
      aria-invalid={error ? true : undefined}
      className={classes('stack gap-10 min-w-0', styles['methods'])}
      aria-describedby={error ? `${id}-error` : undefined}
    >
      <legend className="sr-only">Cara bayar</legend>
      {shown.map((group) => (
        <Kind key={group.title} group={group} {...kinds} />
      ))}
      {folded.length > 0 && (
        <details open={isFoldedSelected}>
          <summary className="row gap-6 w-fit min-h-40 small muted semibold pointer plain-list no-marker">
            Cara bayar lain
            <ChevronDown size={16} className="chevron inherit" aria-hidden="true" />
          </summary>
          <div className={classes('stack gap-10 min-w-0', styles['methods'])}>
            {folded.map((group) => (
              <Kind key={group.title} group={group} {...kinds} />
            ))}
          </div>
        </details>
      )}
      {error && (
        <p id={`${id}-error`} className="small text-danger semibold">
          {error}
        </p>
      )}
    </fieldset>
  );
}

type KindProps = Pick<Props, 'amount' | 'selected' | 'onChange'> & {
  group: MethodGroup;
  name: string;
  last: TopupMethod | undefined;
};

/** Methods of one kind: a single one, or a row of banks below their common facts. */
function Kind({ group: { title, methods }, last, ...props }: KindProps) {
  const [first, second] = methods;
  if (!first) return null;
  const marks = (
    <>
      {methods.some(({ method }) => method === last) && (
        <span className="tiny text-accent semibold">Terakhir dipakai</span>
      )}
      {first.simulated && (
        <span className={classes('tiny faint', styles['simulated'])}>Pembayaran simulasi</span>
      )}
    </>
  );
  if (!second) {
    const Icon = icons[first.method] ?? Landmark;
    return (
      <label
        htmlFor={`${props.name}-${first.method}`}
        className={classes('option row gap-12', styles['choice'])}
        data-off={unfitFor(first, props.amount) && true}
      >
        <Radio method={first} {...props} />
        <Icon size={20} aria-hidden="true" />
        <span className="grid fill">
          <span
            className={classes('flex wrap align-baseline strong gap-0 gap-x-10', styles['name'])}
          >
            {topupMethodLabel[first.method]}
            {marks}
          </span>
          <Note method={first} amount={props.amount} />
        </span>
      </label>
    );
  }
  return (
    <div
      className={classes('row align-start gap-12 border rounded', styles['kind'])}
      role="group"
      aria-label={title}
    >
      <Landmark size={20} aria-hidden="true" />
      <div className="grid fill">
        <span className={classes('flex wrap align-baseline strong gap-0 gap-x-10', styles['name'])}>
          {title}
          {marks}
        </span>
        <Note method={first} amount={props.amount} />
        <div className="flex wrap gap-6 mt-8">
          {methods.map((one) => (
            <label
              key={one.method}
              className={classes('option row gap-6 px-8', styles['bank'])}
              data-off={unfitFor(one, props.amount) && true}
            >
              <Radio method={one} {...props} />
              {topupMethodLabel[one.method].replace(/^Virtual account /, '')}
            </label>
          ))}
        </div>
      </div>
    </div>
  );
}

const Note = ({ method, amount }: { method: Method; amount: number | undefined }) => (
  <span className="small muted leading-14">{unfitFor(method, amount) ?? noteOf(method)}</span>
);

type RadioProps = Pick<KindProps, 'name' | 'amount' | 'selected' | 'onChange'> & { method: Method };

function Radio({ method: one, name, amount, selected, onChange }: RadioProps) {
  const isSelected = one.method === selected;
  return (
    <input
      id={`${name}-${one.method}`}
      type="radio"
      name={name}
      value={one.method}
      checked={isSelected}
      disabled={unfitFor(one, amount) !== undefined && !isSelected}
      onChange={() => onChange(one.method)}
    />
  );
}
