import { ChevronDown } from 'lucide-react';
import { createContext, use, useId, type ReactNode, type ToggleEvent } from 'react';
import styles from '#web/ui/disclosure/Accordion.module.css';
import { classes } from '#web/ui/classes.ts';

/** The shared name of an exclusive group's parts; `undefined` if any number may be open. */
const Group = createContext<string | undefined>(undefined);

type Props = {
  /** Opening one closes the others. */
  exclusive?: boolean;
  children: ReactNode;
};

/** Collapsible parts of a page, by the browser's `<details>`: find-in-page opens them. */
export function Accordion({ exclusive = false, children }: Props) {
  const name = useId();
  return (
    <Group value={exclusive ? name : undefined}>
      <div className="w-full border-y divided">{children}</div>
    </Group>
  );
}

type PartProps = {
  title: ReactNode;
  /** The initial state; afterwards the part keeps its own. */
  open?: boolean;
  /** Called when it was opened or closed, for any reason. */
  onToggle?: (open: boolean) => void;
  children: ReactNode;
};

/** One part; its title is the only tab stop. */
export function AccordionPart({ title, open = false, onToggle, children }: PartProps) {
  const name = use(Group);
  const toggled = (event: ToggleEvent<HTMLDetailsElement>) => {
    const part = event.currentTarget;
    if (part.open && name !== undefined && !('name' in part)) closeOthers(part);
    onToggle?.(part.open);
  };
  return (
    <details name={name} open={open} className={styles['part']} onToggle={toggled}>
      <summary
        className={classes(
          'row justify-between gap-12 strong leading-ui pointer plain-list rounded ring-inset no-marker hover-accent',
          styles['title'],
        )}
      >
        <span>{title}</span>
        <ChevronDown size={18} className="chevron" />
      </summary>
      <div className={classes('muted', styles['content'])}>{children}</div>
    </details>
  );
}

/** For browsers without `<details>` groups: Safari before 17.2, Firefox before 130. */
function closeOthers(part: HTMLDetailsElement): void {
  const group = part.parentElement?.querySelectorAll<HTMLDetailsElement>(':scope > details[open]');
  for (const other of group ?? []) other.open = other === part;
}
