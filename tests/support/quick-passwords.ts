import crypto, { type argon2 } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Derives the passwords of tests with a thousandth of the memory: most of the work of a test that signs in was the work
 * that makes guessing expensive. `passwords.test.ts` and the processes that tests start use the real cost.
 */
type Derivation = { algorithm: string; memory: number; passes: number; parallelism: number };

const shared = globalThis as { derivations?: Derivation[] };

/** Derivations in order: a test compares the work of two calls by them, without a clock. One list for a worker. */
export const derivations: Derivation[] = (shared.derivations ??= replaceDerive());

function replaceDerive(): Derivation[] {
  const asked: Derivation[] = [];
  const derive = crypto.argon2;
  const quick: typeof argon2 = (algorithm, parameters, done) => {
    const { memory, passes, parallelism } = parameters;
    asked.push({ algorithm, memory, passes, parallelism });
    derive(algorithm, { ...parameters, memory: 16, passes: 1 }, done);
  };
  crypto.argon2 = quick;
  syncBuiltinESMExports();
  return asked;
}
