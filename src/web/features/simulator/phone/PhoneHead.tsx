import { ChevronLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from '#web/features/simulator/phone/PhoneHead.module.css';
import { classes } from '#web/ui/classes.ts';

type Props = {
  title: ReactNode;
  under?: ReactNode;
  onBack?: () => void;
  children?: ReactNode;
};

export const PhoneHead = ({ title, under, onBack, children }: Props) => (
  <div className={styles['head']}>
    {onBack && (
      <PhoneTool label="Kembali ke daftar percakapan" onClick={onBack}>
        <ChevronLeft size={22} />
      </PhoneTool>
    )}
    <div className={classes(styles['words'], !onBack && styles['first'])}>
      <h2 className={styles['title']}>{title}</h2>
      {under && <p className={styles['under']}>{under}</p>}
    </div>
    {children}
  </div>
);

type ToolProps = { label: string; onClick: () => void; children: ReactNode };

export const PhoneTool = ({ label, onClick, children }: ToolProps) => (
  <button
    type="button"
    className={styles['tool']}
    aria-label={label}
    title={label}
    onClick={onClick}
  >
    {children}
  </button>
);
