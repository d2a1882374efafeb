import { test as base } from '#tests/support/database/database.ts';
import { type PeopleApp, peopleApp } from './people-app.ts';

export const test = base.extend<{
  openPeople: (options?: Parameters<typeof peopleApp>[1]) => Promise<PeopleApp>;
}>({
  openPeople: async ({ db }, use) => {
    const opened: PeopleApp[] = [];
    await use(async (options) => {
      const one = await peopleApp(db, options);
      opened.push(one);
      return one;
    });
    await Promise.all(opened.map(({ close }) => close()));
  },
});
