import { expect, test } from 'vitest';
import { operatorAddresses } from './addresses.ts';
import { mayOpen, operatorSections } from './operator.ts';

test('every operator address belongs to one tab', () => {
  const tabs = operatorSections.flatMap(({ pages }) => pages.map(({ to }): string => to));
  expect(new Set(tabs).size).toBe(tabs.length);
  for (const address of Object.keys(operatorAddresses)) {
    const own = tabs.filter(
      (to) => address === to || (to !== '/operator' && address.startsWith(`${to}/`)),
    );
    expect(own, address).toHaveLength(1);
  }
});

test('a page opens only to the roles that have it in their menu, also by its address', () => {
  expect(mayOpen('/operator/audit', ['support', 'money'])).toBe(false);
  expect(mayOpen('/operator/audit', ['admin'])).toBe(true);
  expect(mayOpen('/operator/mutasi-bank/impor', ['support'])).toBe(false);
  expect(mayOpen('/operator/mutasi-bank/impor', ['money'])).toBe(true);
  for (const everybodys of ['/operator', '/operator/keamanan', '/profile']) {
    expect(mayOpen(everybodys, []), everybodys).toBe(true);
  }
});
