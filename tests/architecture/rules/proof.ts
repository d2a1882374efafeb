import { expect, test } from 'vitest';
import { type Rule, madeUp, repository } from './sources.ts';

/** A rule in words, the rule, made-up files that break it, and what it says of each of them. */
export type Proof = [string, Rule, Readonly<Record<string, string>>, readonly string[]];

/** Each rule finds what breaks it, and nothing in the repository. */
export function prove(proofs: readonly Proof[]): void {
  test.for(proofs)('%s', async ([, rule, broken, complaints]) => {
    expect(rule(madeUp(broken)), 'where it is broken on purpose').toEqual(
      complaints.map((words) => expect.stringContaining(words)),
    );
    expect(rule(await repository())).toEqual([]);
  });
}
