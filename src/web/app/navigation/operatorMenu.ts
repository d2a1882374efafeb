import { Gauge, Landmark, UsersRound, type LucideIcon } from 'lucide-react';
import type { OperatorRole } from '#contract/base/act.ts';
import { maySee, operatorSections, type OperatorPage } from '#web/features/operator/operator.ts';
import type { MenuEntry, MenuFolder } from '#web/ui/layout/Sidebar.tsx';

const icons: Record<(typeof operatorSections)[number]['label'], LucideIcon> = {
  Ringkasan: Gauge,
  Pelanggan: UsersRound,
  Uang: Landmark,
};

/** The menu of an operator of these roles: a section of one page is that page. */
export function operatorMenuFor(own: readonly OperatorRole[]): readonly (MenuEntry | MenuFolder)[] {
  return operatorSections.flatMap(({ label, pages }): (MenuEntry | MenuFolder)[] => {
    const Icon = icons[label];
    const all: readonly OperatorPage[] = pages;
    const entries = all
      .filter((page) => maySee(page, own))
      .map((page) => ({ href: page.to, label: page.label, Icon }));
    if (all.length > 1 && entries.length > 0) return [{ label, Icon, entries }];
    return entries;
  });
}
