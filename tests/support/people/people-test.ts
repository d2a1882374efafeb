import { test as base } from '#tests/support/database/database.ts';
import { type PeopleDoor, peopleDoor } from './people-app.ts';

/** A test that opens the acts of people on its database; they close before the database goes. */
export const test = base.extend<{
  openPeople: (wish?: Parameters<typeof peopleDoor>[1]) => Promise<PeopleDoor>;
}>({
  openPeople: async ({ db }, use) => {
    const opened: PeopleDoor[] = [];
    await use(async (wish) => {
      const one = await peopleDoor(db, wish);
      opened.push(one);
      return one;
    });
    await Promise.all(opened.map(({ close }) => close()));
  },
});
