import { X } from 'lucide-react';
import styles from '#web/ui/chat/composer/composer.module.css';
import { classes } from '#web/ui/classes.ts';

type Props = {
  name: string;
  text: string;
  onCancel?: () => void;
  onOpen?: () => void;
};

/** A quoted message: at the top of a reply's bubble, or above the composer. */
export const ChatQuote = ({ name, text, onCancel, onOpen }: Props) => (
  <div className={classes('row gap-8 small rounded', styles['quote'])}>
    {onOpen ? (
      <button type="button" className="grid fill text-start" onClick={onOpen}>
        <span className="sr-only">Buka pesan yang dijawab: </span>
        <Words name={name} text={text} />
      </button>
    ) : (
      <p className="grid fill text-start">
        <Words name={name} text={text} />
      </p>
    )}
    {onCancel && (
      <button
        type="button"
        className="place-center flex-none muted size-32 rounded-full hover"
        aria-label="Batal membalas"
        onClick={onCancel}
      >
        <X size={18} />
      </button>
    )}
  </div>
);

const Words = ({ name, text }: Pick<Props, 'name' | 'text'>) => (
  <>
    <strong className="hover-underline">
      <bdi>{name}</bdi>
    </strong>
    <bdi className="truncate muted">{text}</bdi>
  </>
);
