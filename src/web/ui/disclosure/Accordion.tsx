import { ChevronDown } from 'lucide-react';
import { createContext, use, useId, type ReactNode, type ToggleEvent } from 'react';
import styles from '#web/ui/disclosure/Accordion.module.css';

/** The name that parts of an exclusive group share; `undefined` where any number may be open. */
const Group = createContext<string | undefined>(undefined);

type Props = {
  /** Opening one closes the others. */
  exclusive?: boolean;
  /** `AccordionPart`s. */
  children: ReactNode;
};

/** Parts of a page that open and close, by the browser's own `<details>`: found by find-in-page too. */
export function Accordion({ exclusive = false, children }: Props) {
  const name = useId();
  return (
    <Group value={exclusive ? name : undefined}>
      <div className={styles['accordion']}>{children}</div>
    </Group>
  );
}

type PartProps = {
  title: ReactNode;
  /** Whether it is open at first; after that it keeps its own state. */
  open?: boolean;
  /** Told when it was opened or closed, by whatever. */
  onToggle?: (open: boolean) => void;
  children: ReactNode;
};

/** One part; its title is the only stop of the Tab key. */
export function AccordionPart({ title, open = false, onToggle, children }: PartProps) {
  const name = use(Group);
  const toggled = (event: ToggleEvent<HTMLDetailsElement>) => {
    const part = event.currentTarget;
    if (part.open && name !== undefined && !('name' in part)) closeOthers(part);
    onToggle?.(part.open);
  };
  return (
    <details name={name} open={open} className={styles['part']} onToggle={toggled}>
      <summary className={styles['title']}>
        <span>{title}</span>
        <ChevronDown size={18} aria-hidden="true" />
      </summary>
      <div className={styles['content']}>{children}</div>
    </details>
  );
}

/** For browsers that know no groups of `<details>`: Safari before 17.2, Firefox before 130. */
function closeOthers(part: HTMLDetailsElement): void {
  const group = part.parentElement?.querySelectorAll<HTMLDetailsElement>(':scope > details[open]');
  for (const other of group ?? []) other.open = other === part;
}
