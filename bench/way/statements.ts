import { dearestStatements, forgetStatements } from '#bench/lib/statements.ts';
import { type Part, withContenders } from './part.ts';
import { openSteady, steadyRounds, steadyTerms } from './steady.ts';

/** The steady load on servers that count statements: where PostgreSQL spends its time. */
export const statements: Part = {
  name: 'statements',
  title: 'Way: the dearest statements of a steady load',
  run: (options) =>
    withContenders(
      options,
      (root) => openSteady(root, { countsStatements: true }),
      async (subjects) => {
        const measured = await steadyRounds(subjects, options.rounds, async () => {
          for (const { database } of Object.values(subjects)) await forgetStatements(database);
        });
        const found = [steadyTerms(options.rounds)];
        for (const [name, { database }] of Object.entries(subjects)) {
          const messages = (measured[name] ?? []).reduce((sum, { read }) => sum + read, 0);
          found.push(`${name}:`, await dearestStatements(database, messages));
        }
        return found.join('\n\n');
      },
    ),
};
