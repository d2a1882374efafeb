import { useQuery } from '@tanstack/react-query';
import { Landmark, QrCode } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import type { TopupMethod } from '#contract/saldo.ts';
import { topupMethodLabel } from '#contract/saldo.ts';
import { sentenceOf } from '#web/api/errors.ts';
import {
  firstChoice,
  grouped,
  type Method,
  type MethodGroup,
  unfitFor,
  waitsFor,
} from '#web/features/saldo/topups/methods.ts';
import styles from '#web/features/saldo/topups/Methods.module.css';
import { methodsQuery } from '#web/features/saldo/topups/methodsQuery.ts';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';

const icons: Partial<Record<TopupMethod, typeof QrCode>> = { qris: QrCode, bank: Landmark };

const noteOf = ({ method, minutes }: Method): string => {
  const wait = waitsFor(minutes);
  if (method === 'qris') return `Dari aplikasi bank atau dompet digital mana pun, ${wait}`;
  if (method === 'bank') return `Ditambah kode unik sampai Rp\u00A0999, ${wait}`;
  if (method === 'snap' || method === 'xendit') return `di halaman pembayaran, ${wait}`;
  return `dengan nomor bayar sendiri, ${wait}`;
};

type Props = {
  amount: number | undefined;
  value: TopupMethod | undefined;
  error: string | undefined;
  onChange: (method: TopupMethod) => void;
};

/** The payment methods of a top-up. If they cannot be loaded, there is still the bank transfer. */
export function Methods({ amount, value, error, onChange }: Props) {
  const id = useId();
  const { data, isPending, error: failure, refetch } = useQuery(methodsQuery);
  if (isPending) {
    return (
      <div className={styles['methods']} aria-busy="true">
        <Skeleton width="6em" />
        <Skeleton height={56} />
        <Skeleton height={56} />
      </div>
    );
  }
  if (!data) {
    return (
      <p className={styles['only']}>
        Pembayaran lewat transfer bank.{' '}
        <span role="status">Cara lain tidak dapat dimuat: {sentenceOf(failure)}</span>{' '}
        <button type="button" className={styles['retry']} onClick={() => void refetch()}>
          Coba lagi
        </button>
      </p>
    );
  }
  const selected = value ?? firstChoice(data.methods);
  return (
    <fieldset
      role="radiogroup"
      // After a refusal the form focuses the error.
      tabIndex={-1}
      aria-invalid={error ? true : undefined}
      className={styles['methods']}
      aria-describedby={error ? `${id}-error` : undefined}
    >
      <legend>Cara bayar</legend>
      {grouped(data.methods).map((group) => (
        <Group key={group.title} group={group}>
          {group.methods.map((one) => (
            <Choice
              key={one.method}
              method={one}
              alone={group.methods.length === 1}
              name={id}
              amount={amount}
              checked={one.method === selected}
              onChange={onChange}
            />
          ))}
        </Group>
      ))}
      {error && (
        <p id={`${id}-error`} className={styles['error']}>
          {error}
        </p>
      )}
    </fieldset>
  );
}

type GroupProps = { group: MethodGroup; children: ReactNode };

/** Methods of one kind with their common facts; a single one needs no name above it. */
function Group({ group: { title, methods }, children }: GroupProps) {
  const [first, second] = methods;
  if (!first || !second) return <div className={styles['choices']}>{children}</div>;
  return (
    <div className={styles['group']} role="group" aria-label={title}>
      <p className={styles['title']}>
        <span>
          <strong>{title}</strong> <span className={styles['note']}>{noteOf(first)}</span>
        </span>
        {first.simulated && <Simulated method={first.method} />}
      </p>
      <div className={styles['choices']}>{children}</div>
    </div>
  );
}

const Simulated = ({ method }: Pick<Method, 'method'>) => (
  <StatusChip tone="info">{method === 'bank' ? 'Bank' : 'Gerbang'} simulasi</StatusChip>
);

type ChoiceProps = {
  method: Method;
  /** The only one of its kind: it shows the facts of the kind itself. */
  alone: boolean;
  name: string;
  amount: number | undefined;
  checked: boolean;
  onChange: (method: TopupMethod) => void;
};

function Choice({ method: one, alone, name, amount, checked, onChange }: ChoiceProps) {
  const unfit = unfitFor(one, amount);
  const Icon = alone ? icons[one.method] : undefined;
  const note = unfit ?? (alone ? noteOf(one) : undefined);
  return (
    <label className={styles['choice']} data-off={unfit !== undefined || undefined}>
      <input
        type="radio"
        name={name}
        value={one.method}
        checked={checked}
        disabled={unfit !== undefined && !checked}
        onChange={() => onChange(one.method)}
      />
      <span className={styles['words']}>
        <span className={styles['name']}>
          {Icon && <Icon size={16} aria-hidden="true" />}
          {topupMethodLabel[one.method].replace(/^Virtual account /, '')}
        </span>
        {note && <span className={styles['note']}>{note}</span>}
      </span>
      {alone && one.simulated && <Simulated method={one.method} />}
    </label>
  );
}
