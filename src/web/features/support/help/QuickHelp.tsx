import { useQuery } from '@tanstack/react-query';
import { Headset } from 'lucide-react';
import type { OutputOf } from '#contract/base/act.ts';
import type { supportHelp } from '#contract/support.ts';
import styles from '#web/features/support/support.module.css';
import { helpQuery } from '#web/features/support/queries.ts';
import { Button, LinkButton } from '#web/ui/button/Button.tsx';
import { classes } from '#web/ui/classes.ts';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

type Cause = OutputOf<typeof supportHelp>['causes'][number];

type Props = {
  /** Before the very first question, or above the box of a closed thread. */
  when: 'first' | 'again';
  onAsk: (cause: Cause) => void;
};

/** Probable causes before the first question, each with an answer and a link to the remedy. */
export function QuickHelp({ when, onAsk }: Props) {
  const { data, isPending } = useQuery(helpQuery);
  const isRepeat = when === 'again';
  if (isRepeat && !data?.causes.length) return null;
  if (isPending) {
    return (
      <div className={styles['help']} aria-busy="true">
        <Skeleton height={96} />
        <Skeleton height={96} />
      </div>
    );
  }
  // If causes cannot be loaded, a question can still be asked.
  if (!data || data.causes.length === 0) {
    return (
      <div className="place-center grow">
        <EmptyState icon={<Headset size={24} />} title="Ada yang bisa kami bantu?">
          Tulis pertanyaan Anda di bawah. Kami dapat memeriksa pesan, token, isi saldo, dan tagihan
          Anda; sertakan gambar bila perlu.
        </EmptyState>
      </div>
    );
  }
  return (
    <section
      className={classes(styles['help'], isRepeat && styles['again'])}
      aria-label="Bantuan cepat"
    >
      <h2 className="large">Mungkin ini yang Anda cari</h2>
      <ul className="grid gap-10">
        {data.causes.map((cause) => (
          <li key={cause.cause} className="grid gap-6 card py-14 px-16">
            <h3 className="large">
              <bdi>{cause.title}</bdi>
            </h3>
            <p className="muted">{cause.answer}</p>
            <span className="row wrap gap-4 gap-x-12 mt-4">
              <LinkButton size="sm" variant="subtle" href={cause.href}>
                {cause.action}
              </LinkButton>
              <Button size="sm" variant="link" tone="neutral" onClick={() => onAsk(cause)}>
                Masih perlu bantuan
              </Button>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
