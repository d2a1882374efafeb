import { Check, Copy } from 'lucide-react';
import { useId, type ReactNode } from 'react';
import { useCopy } from '#web/ui/copy/copyText.ts';
import styles from '#web/ui/copy/copy.module.css';
import { classes } from '#web/ui/classes.ts';

type Props = {
  label: ReactNode;
  /** The text to copy. */
  value: string;
  /** The displayed form, if different: groups of four, a formatted amount. */
  shown?: ReactNode;
  help?: ReactNode;
  /** `code`: keys and addresses, monospaced. `amount`: large. */
  look?: 'code' | 'amount';
};

/** A value with a button 'Salin'. */
export function CopyField({ label, value, shown, help, look }: Props) {
  const id = useId();
  return (
    <div className="grid gap-6 min-w-0">
      <span id={id} className="small strong">
        {label}
      </span>
      <div className={classes('row gap-4 border rounded sunken', styles['box'])}>
        <output
          aria-labelledby={id}
          className={classes('fill num break-anywhere', styles['value'], look && styles[look])}
        >
          {shown ?? value}
        </output>
        <CopyButton value={value} describes={id} />
      </div>
      {help && <p className="small faint">{help}</p>}
    </div>
  );
}

export type CopyLabels = { copy: string; copied: string };

const indonesian: CopyLabels = { copy: 'Salin', copied: 'Tersalin' };

type ButtonProps = {
  value: string;
  /** The id of its description. */
  describes?: string;
  labels?: CopyLabels;
};

/** The copy button alone. */
export function CopyButton({ value, describes, labels = indonesian }: ButtonProps) {
  const [copied, copy] = useCopy(value);
  return (
    <button
      type="button"
      className={classes(
        'inline-flex align-center justify-center gap-6 flex-none px-10 border surface small muted strong relative rounded',
        styles['copy'],
      )}
      aria-describedby={describes}
      onClick={copy}
    >
      {copied ? <Check size={16} /> : <Copy size={16} />}
      <span aria-live="polite">{copied ? labels.copied : labels.copy}</span>
    </button>
  );
}
