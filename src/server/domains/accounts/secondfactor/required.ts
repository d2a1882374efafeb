import type { Person } from '#server/infra/acts.ts';
import type { Config } from '#server/infra/config.ts';

/**
 * True for whoever must give a second factor, and whose session did not: they may set one up, and nothing
 * else. Today that is asked of operators only.
 */
export const needsSecondFactor = (
  { OPERATOR_SECOND_FACTOR }: Pick<Config, 'OPERATOR_SECOND_FACTOR'>,
  { role, secondFactor }: Pick<Person, 'role' | 'secondFactor'>,
): boolean => isFactorRequired({ OPERATOR_SECOND_FACTOR }, role) && !secondFactor;

/** Whether this installation asks people of a role for a second factor. */
export const isFactorRequired = (
  { OPERATOR_SECOND_FACTOR }: Pick<Config, 'OPERATOR_SECOND_FACTOR'>,
  role: Person['role'],
): boolean => role === 'operator' && OPERATOR_SECOND_FACTOR === 'required';
