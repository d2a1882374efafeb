import { createLink } from '@tanstack/react-router';
import { Tabs as Radix } from 'radix-ui';
import type { ComponentPropsWithRef, ReactNode } from 'react';
import styles from '#web/ui/Tabs.module.css';

export type Tab = { value: string; label: ReactNode; content: ReactNode };

type Props = {
  /** What is being chosen among, for screen readers. */
  label: string;
  tabs: readonly Tab[];
  value: string;
  onChange: (value: string) => void;
};

/** Tabs inside a page or a drawer. When a tab is a view with an address, use `TabLinks`. */
export function Tabs({ label, tabs, value, onChange }: Props) {
  return (
    <Radix.Root value={value} onValueChange={onChange}>
      <Radix.List className={styles['list']} aria-label={label}>
        {tabs.map((tab) => (
          <Radix.Trigger key={tab.value} value={tab.value} className={styles['tab']}>
            {tab.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} value={tab.value} className={styles['panel']}>
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}

/** A row of views with addresses: put `TabLink`s inside. */
export const TabLinks = ({ label, children }: { label: string; children: ReactNode }) => (
  <nav className={styles['list']} aria-label={label}>
    {children}
  </nav>
);

const Anchor = ({ children, ...rest }: ComponentPropsWithRef<'a'>) => (
  <a {...rest} className={styles['tab']}>
    {children}
  </a>
);

/** One view: `to`, `search`, `params` as the router has them; the open one says so by itself. */
export const TabLink = createLink(Anchor);
