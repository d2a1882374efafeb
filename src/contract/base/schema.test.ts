import { beforeEach, expect, test, vi } from 'vitest';

const made = vi.hoisted(() => ({ count: 0 }));

function counting(functions: object): object {
  return Object.fromEntries(
    Object.entries(functions).map(([name, one]: [string, unknown]) => {
      if (typeof one === 'object' && one !== null && name !== 'core') return [name, counting(one)];
      // The registry of notes is not a schema.
      if (typeof one !== 'function' || name === 'registry' || /^[$A-Z]/.test(name))
        return [name, one];
      const counted = (...given: unknown[]) => {
        made.count++;
        return (one as (...given: unknown[]) => unknown)(...given);
      };
      return [name, counted];
    }),
  );
}

vi.mock('zod/mini', async (original) => counting(await original<object>()));

beforeEach(() => {
  made.count = 0;
});

test('creates no schema on import of the contract', async () => {
  const { acts } = await import('#contract/acts.ts');
  await import('#contract/rest.ts');
  expect(acts.length).toBeGreaterThan(50);
  expect(made.count).toBe(0);
});

test('creates the schemas of an act once, on first use', async () => {
  const { loginUser, logoutUser } = await import('#contract/accounts.ts');
  const { input, output } = logoutUser;
  const few = made.count;
  expect(few).toBeGreaterThan(0);
  expect([logoutUser.input, logoutUser.output]).toEqual([input, output]);
  expect(made.count).toBe(few);
  expect(loginUser.input.safeParse({}).success).toBe(false);
  expect(made.count).toBeGreaterThan(few);
});
