import type { ReactNode } from 'react';
import type { FilledTemplate } from '#contract/messages/content.ts';
import { Caption } from '#web/ui/chat/Caption.tsx';
import styles from '#web/ui/chat/cards/cards.module.css';
import { classes } from '#web/ui/classes.ts';

type Props = {
  template: FilledTemplate | undefined;
  children: ReactNode;
};

/** A template as its recipient sees it: header, body, footer and buttons, which only the phone can press. */
export function TemplateCard({ template, children }: Props) {
  const { header = null, footer = null, buttons = [] } = template ?? {};
  return (
    <>
      {header !== null && (
        <strong className="strong">
          <Caption text={header} />
        </strong>
      )}
      {children}
      {footer !== null && (
        <span className="small faint">
          <Caption text={footer} />
        </span>
      )}
      {buttons.length > 0 && (
        <ul
          className={classes('grid gap-4 plain-list', styles['buttons'])}
          aria-label="Tombol di ponsel penerima"
        >
          {buttons.map((button) => (
            <li key={button}>
              <bdi>{button}</bdi>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
