import { X } from 'lucide-react';
import styles from '#web/ui/chat/quote/ChatQuote.module.css';

type Props = {
  /** Who wrote what is quoted. */
  name: string;
  /** Its first words, or what kind of message it is. */
  text: string;
  /** Over the composer: gives the answer up. */
  onCancel?: () => void;
  /** In a bubble: goes to the message. */
  onOpen?: () => void;
};

/** The message that another one answers: at the top of its bubble, or over the box where it is written. */
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
