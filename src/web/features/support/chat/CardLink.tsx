import { ChevronRight, FileText, KeyRound, MessageSquareText, Wallet } from 'lucide-react';
import type { ReactNode } from 'react';
import type { SupportCard, SupportSubject } from '#contract/support.ts';
import { Link } from '#web/browser/router/Link.tsx';
import styles from '#web/features/support/support.module.css';
import { classes } from '#web/ui/classes.ts';
import { subjectLabel } from '#web/features/support/labels.ts';

const icons: Record<SupportSubject, typeof FileText> = {
  message: MessageSquareText,
  token: KeyRound,
  topup: Wallet,
  invoice: FileText,
};

const look = classes(
  'row gap-10 ink leading-ui no-underline min-h-44 py-8 px-10 border rounded surface',
  styles['card'],
);

/** A card of a message. @param href undefined if its record was deleted */
export const CardLink = ({ card, href }: { card: SupportCard; href: string | undefined }) =>
  href === undefined ? (
    <div className={look}>
      <CardFacts card={card} />
    </div>
  ) : (
    <Link href={href} className={look}>
      <CardFacts card={card} />
      <ChevronRight size={18} aria-hidden="true" className="flex-none faint" />
    </Link>
  );

export const CardShown = ({ card, children }: { card: SupportCard; children: ReactNode }) => (
  <div
    className={classes(
      'row gap-10 ink leading-ui no-underline min-h-44 py-8 px-10 border rounded surface',
      styles['card'],
    )}
  >
    <CardFacts card={card} />
    {children}
  </div>
);

function CardFacts({ card }: { card: SupportCard }) {
  const Icon = icons[card.type];
  return (
    <>
      <span
        className={classes(
          'place-center flex-none text-accent size-32 rounded-full',
          styles['icon'],
        )}
      >
        <Icon size={18} aria-hidden="true" />
      </span>
      <span className="grid fill small muted">
        <span className="sr-only">{subjectLabel[card.type]}: </span>
        <bdi className="ink strong break-anywhere base">{card.title}</bdi>
        {card.status && <span className="break-anywhere">{card.status}</span>}
        {card.lines.map((line) => (
          <bdi key={line} className="break-anywhere">
            {line}
          </bdi>
        ))}
      </span>
    </>
  );
}
