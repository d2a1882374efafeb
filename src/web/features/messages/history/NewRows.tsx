import { ArrowUp } from 'lucide-react';
import { PAGE_SIZE } from '#contract/base/act.ts';
import styles from '#web/features/messages/history/NewRows.module.css';

type Props = { count: number; onShow: () => void };

/** The notice of new messages above those being read; it takes no space, so that nothing moves. */
export const NewRows = ({ count, onShow }: Props) => (
  <div className={styles['place']} role="status">
    {count > 0 && (
      <button type="button" className={styles['pill']} onClick={onShow}>
        <ArrowUp size={16} aria-hidden="true" />
        {count >= PAGE_SIZE ? `${PAGE_SIZE}+` : count} pesan baru
      </button>
    )}
  </div>
);
