import { Link, type LinkProps } from '@tanstack/react-router';
import { DropdownMenu } from 'radix-ui';
import type { ReactElement, ReactNode } from 'react';
import styles from '#web/ui/Dropdown.module.css';
import { useTopLayer } from '#web/ui/topLayer.ts';

type Entry = {
  label: string;
  icon?: ReactNode;
  tone?: 'danger';
  disabled?: boolean;
} & ({ onSelect: () => void } | { link: Pick<LinkProps, 'to' | 'search' | 'params'> });

export type DropdownItem = Entry | 'separator';

type Props = {
  /** The button that opens it; must take a ref (our `Button` does). */
  trigger: ReactElement;
  items: readonly DropdownItem[];
  /** What the menu is for, when the trigger's words do not say. */
  label?: string;
  align?: 'start' | 'center' | 'end';
};

/** A menu of actions: arrows, Home, End, first letters; Escape and outside clicks close it. */
export function Dropdown({ trigger, items, label, align = 'end' }: Props) {
  const place = useTopLayer();
  return (
    // A modal menu would insert a <style> element, which the page's policy refuses.
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal container={place}>
        <DropdownMenu.Content
          className={styles['menu']}
          align={align}
          sideOffset={6}
          collisionPadding={12}
          loop
          {...(label ? { 'aria-label': label } : {})}
        >
          {items.map((item, index) =>
            item === 'separator' ? (
              <DropdownMenu.Separator key={`line-${index}`} className={styles['line']} />
            ) : (
              <Item key={item.label} item={item} />
            ),
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

function Item({ item }: { item: Entry }) {
  const inside = (
    <>
      {item.icon}
      <span>{item.label}</span>
    </>
  );
  const shared = {
    className: styles['item'],
    'data-tone': item.tone,
    disabled: item.disabled ?? false,
  };
  return 'link' in item ? (
    <DropdownMenu.Item {...shared} asChild>
      <Link {...item.link}>{inside}</Link>
    </DropdownMenu.Item>
  ) : (
    <DropdownMenu.Item {...shared} onSelect={item.onSelect}>
      {inside}
    </DropdownMenu.Item>
  );
}
