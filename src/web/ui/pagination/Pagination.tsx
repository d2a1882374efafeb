import { ChevronLeft, ChevronRight, ChevronsLeft, ChevronsRight } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from '#web/ui/pagination/Pagination.module.css';
import { classes } from '#web/ui/classes.ts';
import { clampPage, pages } from '#web/ui/pagination/paging.ts';

/** In a container narrower than 640 px, only numbers this close to the current one are shown. */
const NARROW_REACH = 2;

type Props = {
  /** The displayed page, from 1 for every paging type. */
  page: number;
  /** `undefined` if unknown: then there is only back and forth. */
  total: number | undefined;
  /** With an unknown total: whether there is a next page. */
  hasMore?: boolean;
  onPage: (page: number) => void;
  /** The accessible name if a screen has more than one. */
  label?: string | undefined;
};

/** Page numbers within 5 of the current one, 2 in narrow containers. */
export function Pagination({ page, total, hasMore = false, onPage, label }: Props) {
  const current = total === undefined ? Math.max(1, page) : clampPage(page, total);
  const last = total ?? (hasMore ? current + 1 : current);
  if (last <= 1 && current === 1) return null;
  const go = (to: number, off: boolean) => ({ off, onGo: () => onPage(to) });
  return (
    <nav className="w-full container" aria-label={label ?? 'Halaman'}>
      <ul className={classes('row justify-center gap-4', styles['list'])}>
        {total !== undefined && (
          <li className={styles['edge']}>
            <Step label="Halaman pertama" {...go(1, current === 1)}>
              <ChevronsLeft size={18} />
            </Step>
          </li>
        )}
        <li>
          <Step label="Halaman sebelumnya" {...go(current - 1, current === 1)}>
            <ChevronLeft size={18} />
          </Step>
        </li>
        {total === undefined ? (
          <li className="px-8 muted">Halaman {current}</li>
        ) : (
          pages(current, total).map((number) => (
            <li key={number} data-far={Math.abs(number - current) > NARROW_REACH || undefined}>
              <button
                type="button"
                className={classes(
                  'place-center muted strong num hover-ink px-6 rounded',
                  styles['number'],
                )}
                aria-label={`Halaman ${number}`}
                aria-current={number === current ? 'page' : undefined}
                onClick={() => number === current || onPage(number)}
              >
                {number}
              </button>
            </li>
          ))
        )}
        <li>
          <Step label="Halaman berikutnya" {...go(current + 1, current >= last)}>
            <ChevronRight size={18} />
          </Step>
        </li>
        {total !== undefined && (
          <li className={styles['edge']}>
            <Step label="Halaman terakhir" {...go(total, current >= last)}>
              <ChevronsRight size={18} />
            </Step>
          </li>
        )}
      </ul>
      <p className="sr-only" role="status">
        {total === undefined ? `Halaman ${current}` : `Halaman ${current} dari ${total}`}
      </p>
    </nav>
  );
}

type StepProps = { label: string; off: boolean; onGo: () => void; children: ReactNode };

/** Disabled at the ends instead of removed, so that nothing shifts under the pointer. */
const Step = ({ label, off, onGo, children }: StepProps) => (
  <button
    type="button"
    className={classes('place-center muted strong num hover-ink px-6 rounded', styles['number'])}
    aria-label={label}
    aria-disabled={off || undefined}
    onClick={() => off || onGo()}
  >
    {children}
  </button>
);
