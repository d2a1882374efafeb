import { type Sql, createSql, runnerOf } from '#server/infra/postgres/database.ts';
import { type Scope, presentScope } from './scope.ts';

/** Where the statements of a pool run, in a distributed database. */
type Places = {
  /** The database as a whole. */
  home: Sql;
  /** The bucket that a scope lies in. */
  poolOf: (scope: Scope) => Promise<Sql>;
  /** Closes the pools of the buckets. */
  close: (options?: { timeout?: number }) => Promise<void>;
};

/** Statements and transactions that run in the bucket they concern: that of `asAccount`, or of the present scope. */
export function createRoutingSql({ home, poolOf, close }: Places): Sql {
  const runnerFor = async (scope: Scope | undefined) =>
    runnerOf(scope ? await poolOf(scope) : home);
  return createSql({
    place: home.place,
    as: runnerOf(home).as,
    run: async (compiled) => (await runnerFor(presentScope())).run(compiled),
    transact: async (work, options) => {
      const accountId = options.settings?.['app.account'];
      const scope = accountId === undefined ? presentScope() : { accountId };
      return (await runnerFor(scope)).transact(work, options);
    },
    waitedSeconds: runnerOf(home).waitedSeconds,
    end: async (options) => void (await Promise.all([home.end(options), close(options)])),
  });
}
