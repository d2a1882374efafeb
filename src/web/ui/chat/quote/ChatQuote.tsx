import { X } from 'lucide-react';
import styles from '#web/ui/chat/quote/ChatQuote.module.css';

type Props = {
  name: string;
  text: string;
  onCancel?: () => void;
  onOpen?: () => void;
};

/** A quoted message: at the top of a reply's bubble, or above the composer. */
export const ChatQuote = ({ name, text, onCancel, onOpen }: Props) => (
  <div className={styles['quote']}>
    {onOpen ? (
      <button type="button" className={styles['words']} onClick={onOpen}>
        <span className="sr-only">Buka pesan yang dijawab: </span>
        <Words name={name} text={text} />
      </button>
    ) : (
      <p className={styles['words']}>
        <Words name={name} text={text} />
      </p>
    )}
    {onCancel && (
      <button
        type="button"
        className={styles['cancel']}
        aria-label="Batal membalas"
        onClick={onCancel}
      >
        <X size={18} aria-hidden="true" />
      </button>
    )}
  </div>
);

const Words = ({ name, text }: Pick<Props, 'name' | 'text'>) => (
  <>
    <strong>
      <bdi>{name}</bdi>
    </strong>
    <bdi className={styles['text']}>{text}</bdi>
  </>
);
