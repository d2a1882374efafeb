import { tmpdir } from 'node:os';
import { type ConsoleDeps, consoleActs, operatorActs } from '#server/domains/operator/operator.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { makeAccount, makeUser } from '#tests/support/people/people.ts';
import { type TopupApp, perform } from './topups.ts';

export type ActingOperator = {
  userId: string;
  ask: (act: string, fields?: Record<string, unknown>) => Promise<unknown>;
};

export async function operatorsOf(
  sql: Sql,
  app: TopupApp,
  { names = ['Oka', 'Ria'] } = {},
): Promise<ActingOperator[]> {
  const accountId = await makeAccount(sql, { name: 'Kabari', isSystem: true });
  return Promise.all(
    names.map(async (name, place) => {
      const phone = `62811000000${place}`;
      return actingOperator(
        sql,
        app,
        await makeUser(sql, accountId, { name, phone, roles: ['admin'] }),
      );
    }),
  );
}

export async function actingOperator(
  sql: Sql,
  app: TopupApp,
  userId: string,
): Promise<ActingOperator> {
  const [account] = await sql<{ id: string }[]>`
    select account_id as id from accounts where is_system`;
  const asker = { accountId: account?.id ?? '', userId, role: 'operator' as const };
  const handlers = [...operatorActs(app.deps), ...consoleActs(consoleDeps(app))];
  return { userId, ask: (act, fields = {}) => perform(handlers, act, asker, fields) };
}

/** Dependencies of the console's acts beside money's; unsent texts are in `sent`. */
export const consoleDeps = (
  { deps, clock }: TopupApp,
  sent: { phone: string; text: string }[] = [],
): ConsoleDeps => ({
  ...deps,
  sendSystemText: async (phone, text) => void sent.push({ phone, text }),
  evictSessions: async () => undefined,
  dataFolder: tmpdir(),
  disks: { full: () => [] },
  version: '0.0.0',
  build: 'test',
  now: clock.now,
  codesGoOut: async () => true,
  supportFigures: async () => ({ waiting: 0, oldest: null }),
});
