import {
  CLOCKS_APART_MS_MAX,
  type DatabaseFacts,
  VERSION_MIN,
} from '#server/infra/postgres/check.ts';
import { type ReplicationStatus, stateOf } from '#server/infra/postgres/replica.ts';
import { type Finding, ok, warning, wrong } from './finding.ts';

export function databaseVersion({ version }: Pick<DatabaseFacts, 'version'>): Finding {
  const major = Math.floor(version / 10_000);
  return version < VERSION_MIN
    ? wrong(`The database is PostgreSQL ${major}.`, 'Use 15 or newer.')
    : ok(`The database answers: PostgreSQL ${major}.`);
}

/** A superuser sees the rows of all accounts, despite row-level security. */
export function superuser(
  { superuser: isSuperuser, role }: Pick<DatabaseFacts, 'superuser' | 'role'>,
  isProduction: boolean,
): Finding {
  if (!isSuperuser) return ok(`The database is entered as ${role}, who is no superuser.`);
  const says = `The database is entered as the superuser ${role}: row-level security does not hold.`;
  const remedy = 'Let DATABASE_URL name a role that only owns the database.';
  return isProduction ? wrong(says, remedy) : warning(says, remedy);
}

const durable = ['fsync', 'synchronous_commit', 'full_page_writes'] as const;

/** Whether confirmed data survives a power cut. */
export function durability(facts: Pick<DatabaseFacts, (typeof durable)[number]>): Finding {
  const off = durable.filter((name) => facts[name] === 'off');
  return off.length === 0
    ? ok('The database writes out what it confirms.')
    : wrong(
        `The database has ${off.join(', ')} off, and may lose what it confirmed.`,
        'Turn it on in postgresql.conf.',
      );
}

/** Leases, codes and signatures depend on both clocks. */
export function clocks({ now: theirs }: Pick<DatabaseFacts, 'now'>, ours: Date): Finding {
  const apart = Math.abs(ours.getTime() - theirs.getTime());
  return apart <= CLOCKS_APART_MS_MAX
    ? ok(`The clocks of this machine and the database are ${apart} ms apart.`)
    : wrong(
        `The clocks of this machine and the database are ${Math.round(apart / 1_000)} s apart.`,
        'Let both follow NTP.',
      );
}

const REPLICA_SECONDS_MAX = 60;

/** The state of the standby at DATABASE_REPLICA_URL; `undefined` when it does not answer. */
export function replica(standing: ReplicationStatus | undefined): Finding {
  const instead = 'Until then, long work reads the database itself.';
  if (!standing) {
    return warning('The replica does not answer.', `See that it runs. ${instead}`);
  }
  const state = stateOf(standing);
  if (state === 'of another database') {
    return wrong(
      'DATABASE_REPLICA_URL names the server of another database.',
      'Name a standby of the one at DATABASE_URL, or leave it away.',
    );
  }
  if (state === 'the database itself') {
    return warning(
      'DATABASE_REPLICA_URL names the database itself: nothing is taken off it.',
      'Name a standby of it, or leave it away.',
    );
  }
  if (state === 'no standby') {
    return warning(
      'The replica is no standby any more: it was promoted, or set up anew.',
      `Make it follow the database again. ${instead}`,
    );
  }
  const { lagSeconds } = standing;
  const behind = lagSeconds === null ? 'by nobody knows how much' : `${Math.round(lagSeconds)} s`;
  return lagSeconds !== null && lagSeconds <= REPLICA_SECONDS_MAX
    ? ok(`The replica follows, ${behind} behind.`)
    : warning(
        `The replica is behind, ${behind}.`,
        `See pg_stat_replication on the database. ${instead}`,
      );
}

export function migrations({
  waiting,
  unknown,
}: {
  waiting: string[];
  unknown: string[];
}): Finding {
  if (unknown.length > 0) {
    return wrong(
      `The database is of a newer version: it knows ${unknown.join(', ')}.`,
      'Start the newer version.',
    );
  }
  return waiting.length === 0
    ? ok('The tables are those of this version.')
    : warning(`The next start changes the tables: ${waiting.join(', ')}.`, 'Make a backup first.');
}
