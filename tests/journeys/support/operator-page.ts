import type { Page } from 'playwright-core';
import { inject } from 'vitest';
import { checkToken } from '#contract/accounts.ts';
import { countInbox } from '#contract/operator/support.ts';
import { type FakeActs, fakeAct, fakeActs, fakeChanges } from './fake-acts.ts';
import type { PersonOptions } from '#tests/journeys/browser/browser.ts';
import { signUp } from './portal.ts';
import type { OpenPerson } from '#tests/support/gallery.ts';

let session: Promise<string> | undefined;

/**
 * Opens a page as an admin. The session is a customer's: the server answers 404 to an operator's act without a fake,
 * so a test changes nothing that others share.
 */
export async function openAsOperator(
  person: OpenPerson,
  path: string,
  acts: FakeActs,
  options: PersonOptions = {},
): Promise<Page> {
  const address = inject('product');
  const phone = `62857${String(Date.now() % 1e8).padStart(8, '0')}`;
  session ??= signUp(address, { name: 'Dimas', phone }).then((one) => one.session);
  const { open } = await person({ session: await session, ...options });
  const tab = await open();
  await fakeChanges(tab, checkToken, () => ({ role: 'operator', operator_roles: ['admin'] }));
  await fakeActs(tab, {
    ...fakeAct(countInbox, () => ({ waiting: 0, mine: 0, open: 0, snoozed: 0, oldest: null })),
    ...acts,
  });
  await tab.goto(path);
  return tab;
}
