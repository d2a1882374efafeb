import { expect, test } from 'vitest';
import type { User } from '#contract/accounts.ts';
import { updateUser } from '#contract/people.ts';
import { fieldsOf, withChoices } from '#web/features/profile/preferences/preferences.ts';

const ratna: User = {
  id: 'usr_1',
  account_id: 'acc_1',
  name: 'Ratna',
  phone: '6281234567890',
  role: 'customer',
  timezone: 'Asia/Jakarta',
  email: null,
  avatar: null,
  theme: 'system',
  sound_on: true,
  sound: 'pesan',
  push_on: true,
  push_text: false,
  keys_on: true,
  operator_roles: [],
  erased_at: null,
};

test('the last choice is what shows, and nothing else changes', () => {
  const seen = withChoices(ratna, [{ theme: 'dark' }, { sound_on: false }, { theme: 'light' }]);
  expect(seen).toEqual({ ...ratna, theme: 'light', sound_on: false });
  expect(ratna.theme).toBe('system');
});

test('a choice that could not be saved preserves the other choices', () => {
  const first = { theme: 'dark' } as const;
  const second = { sound: 'lonceng' };
  expect(withChoices(ratna, [first, second])).toMatchObject({ theme: 'dark', sound: 'lonceng' });
  expect(withChoices(ratna, [second])).toEqual({ ...ratna, sound: 'lonceng' });
});

test('the server receives a choice in its own format', () => {
  const choice = { sound_on: false, push_text: true, theme: 'dark', sound: 'ketuk' } as const;
  expect(updateUser.input.parse(fieldsOf(choice))).toEqual(choice);
});
