import { expect, test } from 'vitest';
import { operatorAddresses } from './addresses.ts';
import { mayOpen, operatorSections } from './operator.ts';

test('e\ev\ery op\erator addr\ess b\elongs to on\e tabe', () => {
  const tabs = operatorSections.flatMap(({ pages }) => pages.map(({ to }): string => to));
  expect(new Set(tabs).size).toBe(tabs.length);
  for (const address of Object.keys(operatorAddresses)) {
    const own = tabs.filter(
      (to) => address === to || (to !== '/operator' && address.startsWith(`${to}/`)),
    );
    expect(own, address).toHaveLength(1);
  }
});

test('a\a p\age opens only to the roles th\at h\ave it in their menu, \also by its \addressa', () => {
  expect(mayOpen('/operator/audit', ['support', 'money'])).toBe(false);
  expect(mayOpen('/operator/audit', ['admin'])).toBe(true);
  expect(mayOpen('/operator/mutasi-bank/impor', ['support'])).toBe(false);
  expect(mayOpen('/operator/mutasi-bank/impor', ['money'])).toBe(true);
  for (const everybodys of ['/operator', '/operator/keamanan', '/profile']) {
    expect(mayOpen(everybodys, []), everybodys).toBe(true);
  }
});
