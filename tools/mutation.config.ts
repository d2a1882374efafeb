/** Stryker's test run for each mutant: only the tests of one subject (`mutation.ts`). */
import { defineConfig } from 'vitest/config';

const { tests, hasDatabase } = JSON.parse(process.env['MUTATION_SUBJECT'] ?? '{}') as {
  tests?: string[];
  hasDatabase?: boolean;
};

export default defineConfig({
  test: {
    include: tests ?? [],
    globalSetup: hasDatabase ? ['tests/support/database/database-setup.ts'] : [],
    env: { TZ: 'UTC' },
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
