import { createLink } from '#web/browser/router/Link.tsx';
import { useEffect, type ComponentPropsWithRef, type ReactNode } from 'react';
import { announce } from '#web/ui/announce/announce.ts';
import styles from '#web/ui/button/Button.module.css';
import { classes } from '#web/ui/classes.ts';

export type ButtonLook = {
  /** `solid` for the one main action, `subtle` for the others, `link` inside text. */
  variant?: 'solid' | 'subtle' | 'outline' | 'link';
  /**
   * `neutral` for outlines, else `primary`; `danger` is for irreversible actions. Amber is no tone: it marks what waits,
   * not what a click does.
   */
  tone?: 'primary' | 'neutral' | 'danger';
  /** 32, 40 (default), 44 and 52 px. */
  size?: 'sm' | 'md' | 'lg' | 'xl';
  /** An icon before the label (a lucide icon at `size={18}`). */
  icon?: ReactNode;
  /** Takes the full width. */
  block?: boolean;
  /** Icon only; requires `aria-label`. */
  square?: boolean;
};

export type ButtonProps = ButtonLook &
  ComponentPropsWithRef<'button'> & {
    /** Busy: keeps its width and the focus, shows 'Memuat…', ignores further clicks. */
    busy?: boolean;
  };

function look({ variant = 'solid', size = 'md', block, square, ...rest }: ButtonLook) {
  const { tone = variant === 'outline' ? 'neutral' : 'primary' } = rest;
  return classes(
    styles['button'],
    styles[variant],
    styles[tone],
    styles[size],
    block && styles['block'],
    square && styles['square'],
  );
}

/** A button; `type="button"` unless it is `submit`. */
export function Button({
  variant,
  tone,
  size,
  icon,
  block,
  square,
  busy = false,
  className,
  children,
  onClick,
  type = 'button',
  ...rest
}: ButtonProps) {
  const shown = look(definite({ variant, tone, size, block, square }));
  useEffect(() => {
    if (busy) announce('Memuat…');
  }, [busy]);
  return (
    <button
      {...rest}
      type={type}
      className={classes(shown, busy && styles['busy'], className)}
      aria-disabled={busy || rest['aria-disabled'] || undefined}
      aria-busy={busy || undefined}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.(event);
      }}
    >
      <span
        className={classes(
          'inline-flex align-center justify-center gap-8 min-w-0',
          styles['content'],
        )}
      >
        {icon}
        {children}
      </span>
      {busy && <span className={styles['wheel']} />}
    </button>
  );
}

type AnchorProps = ButtonLook & ComponentPropsWithRef<'a'>;

/** A plain link (another site, a file) styled as a button. */
export function AnchorButton({
  variant,
  tone,
  size,
  icon,
  block,
  square,
  className,
  children,
  ...rest
}: AnchorProps) {
  const shown = look(definite({ variant, tone, size, block, square }));
  return (
    <a {...rest} className={classes(shown, className)}>
      <span
        className={classes(
          'inline-flex align-center justify-center gap-8 min-w-0',
          styles['content'],
        )}
      >
        {icon}
        {children}
      </span>
    </a>
  );
}

/** A router link styled as a button: `to`, `search` and `params`. */
export const LinkButton = createLink(AnchorButton);

/** Drops undefined properties, for `exactOptionalPropertyTypes`. */
function definite(look: { [K in keyof ButtonLook]: ButtonLook[K] | undefined }): ButtonLook {
  return Object.fromEntries(Object.entries(look).filter(([, value]) => value !== undefined));
}
