import { useQueries } from '@tanstack/react-query';
import { Link } from '#web/browser/router/Link.tsx';
import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import styles from '#web/features/simulator/simulator.module.css';
import { classes } from '#web/ui/classes.ts';
import { fixedPhones } from '#web/features/simulator/phones.ts';
import { outcomeQuery } from '#web/features/simulator/queries.ts';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

/** The numbers with fixed outcomes, which are read from the network itself. */
export function FixedPhones() {
  const [open, setOpen] = useState(false);
  const outcomes = useQueries({
    queries: fixedPhones.map((phone) => ({ ...outcomeQuery(phone), enabled: open })),
  });
  return (
    <details className="border-y" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary
        className={classes(
          'row justify-between gap-16 pointer plain-list py-10 no-marker',
          styles['summary'],
        )}
      >
        <span>
          <strong>Nomor dengan hasil tetap</strong>
          <span className="block small faint">Untuk menguji sistem Anda sendiri</span>
        </span>
        <ChevronDown size={18} className="chevron" aria-hidden="true" />
      </summary>
      <dl className={classes('grid gap-10', styles['list'])}>
        {fixedPhones.map((phone, index) => (
          <div key={phone}>
            <dt className="strong">
              <Link to="/simulator" search={{ phone }} resetScroll={false} className="num">
                {phone}
              </Link>
            </dt>
            <dd className="small muted">
              {outcomes[index]?.data ??
                (outcomes[index]?.isError ? 'Keterangan belum dapat dimuat.' : <Skeleton />)}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
