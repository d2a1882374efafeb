import { ArrowUp } from 'lucide-react';
import { PAGE_SIZE } from '#contract/base/act.ts';
import styles from '#web/features/messages/messages.module.css';
import { classes } from '#web/ui/classes.ts';

type Props = { count: number; onShow: () => void };

/** The notice of new messages above those being read; it takes no space, so that nothing moves. */
export const NewRows = ({ count, onShow }: Props) => (
  <div className={classes('grid justify-items-center', styles['place'])} role="status">
    {count > 0 && (
      <button
        type="button"
        className={classes(
          'inline-flex align-center gap-6 px-14 solid-primary shadow small strong num nowrap hover-primary',
          styles['pill'],
        )}
        onClick={onShow}
      >
        <ArrowUp size={16} aria-hidden="true" />
        {count >= PAGE_SIZE ? `${PAGE_SIZE}+` : count} pesan baru
      </button>
    )}
  </div>
);
