import {
  CLOCKS_APART_MS_MAX,
  type DatabaseFacts,
  VERSION_MIN,
} from '#server/infra/postgres/check.ts';
import { type Finding, ok, warning, wrong } from './finding.ts';

/** The server's version. */
export function databaseVersion({ version }: Pick<DatabaseFacts, 'version'>): Finding {
  const major = Math.floor(version / 10_000);
  return version < VERSION_MIN
    ? wrong(`The database is PostgreSQL ${major}.`, 'Use 15 or newer.')
    : ok(`The database answers: PostgreSQL ${major}.`);
}

/** A superuser sees the rows of all accounts, whatever row-level security says. */
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

/** Whether what is confirmed outlives a power cut. */
export function durability(facts: Pick<DatabaseFacts, (typeof durable)[number]>): Finding {
  const off = durable.filter((name) => facts[name] === 'off');
  return off.length === 0
    ? ok('The database writes out what it confirms.')
    : wrong(
        `The database has ${off.join(', ')} off, and may lose what it confirmed.`,
        'Turn it on in postgresql.conf.',
      );
}

/** Leases, codes and signatures are judged by both clocks. */
export function clocks({ now: theirs }: Pick<DatabaseFacts, 'now'>, ours: Date): Finding {
  const apart = Math.abs(ours.getTime() - theirs.getTime());
  return apart <= CLOCKS_APART_MS_MAX
    ? ok(`The clocks of this machine and the database are ${apart} ms apart.`)
    : wrong(
        `The clocks of this machine and the database are ${Math.round(apart / 1_000)} s apart.`,
        'Let both follow NTP.',
      );
}

/** Whether the tables are those of this version. */
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
