import { ChevronRight, FileText, KeyRound, MessageSquareText, Wallet } from 'lucide-react';
import type { ReactNode } from 'react';
import type { SupportCard, SupportSubject } from '#contract/support.ts';
import { Link } from '#web/browser/router/Link.tsx';
import styles from '#web/features/support/chat/CardLink.module.css';
import { subjectLabel } from '#web/features/support/labels.ts';

const icons: Record<SupportSubject, typeof FileText> = {
  message: MessageSquareText,
  token: KeyRound,
  topup: Wallet,
  invoice: FileText,
};

/** A card of a message. @param href undefined if its record was deleted */
export const CardLink = ({ card, href }: { card: SupportCard; href: string | undefined }) =>
  href === undefined ? (
    <div className={styles['card']}>
      <CardFacts card={card} />
    </div>
  ) : (
    <Link href={href} className={styles['card']}>
      <CardFacts card={card} />
      <ChevronRight size={18} aria-hidden="true" className={styles['go']} />
    </Link>
  );

export const CardShown = ({ card, children }: { card: SupportCard; children: ReactNode }) => (
  <div className={styles['card']}>
    <CardFacts card={card} />
    {children}
  </div>
);

function CardFacts({ card }: { card: SupportCard }) {
  const Icon = icons[card.type];
  return (
    <>
      <span className={styles['icon']}>
        <Icon size={18} aria-hidden="true" />
      </span>
      <span className={styles['facts']}>
        <span className="sr-only">{subjectLabel[card.type]}: </span>
        <bdi className={styles['title']}>{card.title}</bdi>
        {card.status && <span className={styles['status']}>{card.status}</span>}
        {card.lines.map((line) => (
          <bdi key={line} className={styles['line']}>
            {line}
          </bdi>
        ))}
      </span>
    </>
  );
}
