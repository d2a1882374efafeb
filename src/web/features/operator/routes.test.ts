import { expect, test } from 'vitest';
import { operatorAddresses } from './addresses.ts';
import { mayOpen, operatorSections } from './operator.ts';

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

test('a page opens to the roles whose menu has it, by its address too', () => {
  expect(mayOpen('/operator/audit', ['support', 'money'])).toBe(false);
  expect(mayOpen('/operator/audit', ['admin'])).toBe(true);
  expect(mayOpen('/operator/mutasi-bank/impor', ['support'])).toBe(false);
  expect(mayOpen('/operator/mutasi-bank/impor', ['money'])).toBe(true);
  for (const everybodys of ['/operator', '/operator/keamanan', '/profile']) {
    expect(mayOpen(everybodys, []), everybodys).toBe(true);
  }
});
