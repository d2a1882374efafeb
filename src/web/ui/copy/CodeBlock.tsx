import { useId } from 'react';
import { CopyButton, type CopyLabels } from '#web/ui/copy/CopyField.tsx';
import styles from '#web/ui/copy/copy.module.css';
import { classes } from '#web/ui/classes.ts';

type Props = {
  code: string;
  /** Above the code: its language or purpose. */
  title: string;
  /** Of the copy button; Indonesian by default. */
  labels?: CopyLabels;
};

/** Code to copy; scrolls sideways, by keyboard too. */
export function CodeBlock({ code, title, labels }: Props) {
  const id = useId();
  return (
    <figure className="border rounded-lg sunken overflow-hidden">
      <figcaption
        className={classes(
          'row justify-between gap-12 small muted strong border-b',
          styles['head'],
        )}
      >
        <span id={id}>{title}</span>
        <CopyButton value={code} describes={id} {...(labels && { labels })} />
      </figcaption>
      {/* Scrollable content must be focusable. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre
        className={classes('ring-inset small p-12', styles['codeBlockCode'])}
        tabIndex={0}
        role="region"
        aria-labelledby={id}
      >
        <code>{code}</code>
      </pre>
    </figure>
  );
}
