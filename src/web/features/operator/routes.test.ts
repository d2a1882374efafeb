import { expect, test } from 'vitest';
import { operatorAddresses } from './addresses.ts';
import { operatorSections } from './operator.ts';

test('every address of the operator belongs to one tab', () => {
  const tabs = operatorSections.flatMap(({ pages }) => pages.map(({ to }): string => to));
  expect(new Set(tabs).size).toBe(tabs.length);
  for (const address of Object.keys(operatorAddresses)) {
    const own = tabs.filter(
      (to) => address === to || (to !== '/operator' && address.startsWith(`${to}/`)),
    );
    expect(own, address).toHaveLength(1);
  }
});
