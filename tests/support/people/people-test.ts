import { test as base } from '#tests/support/database/database.ts';
import { type PeopleApp, peopleApp } from './people-app.ts';

/** A test that opens the acts of people on its database; they close before the database goes. */
export const test = base.extend<{
  openPeople: (wish?: Parameters<typeof peopleApp>[1]) => Promise<PeopleApp>;
}>({
  openPeople: async ({ db }, use) => {
    const opened: PeopleApp[] = [];
    await use(async (wish) => {
      const one = await peopleApp(db, wish);
      opened.push(one);
      return one;
    });
    await Promise.all(opened.map(({ close }) => close()));
  },
});
