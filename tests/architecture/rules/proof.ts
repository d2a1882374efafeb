import { expect, test } from 'vitest';
import { type Rule, syntheticSources, repository } from './sources.ts';

/** A rule's description, the rule, made-up files that break it, and the expected findings. */
export type Proof = [string, Rule, Readonly<Record<string, string>>, readonly string[]];

/** Checks that each rule reports its counterexamples, and nothing in the repository. */
export function prove(proofs: readonly Proof[]): void {
  test.for(proofs)('%s', async ([, rule, broken, complaints]) => {
    expect(rule(syntheticSources(broken)), 'where it is broken on purpose').toEqual(
      complaints.map((words) => expect.stringContaining(words)),
    );
    expect(rule(await repository())).toEqual([]);
  });
}
