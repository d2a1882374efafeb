import { defineConfig } from 'vitest/config';

/** Ends what hangs. Nothing that is well comes near it, also where the machine is four times slower. */
const PATIENCE_MS = 240_000;

/** What every project shares: one PostgreSQL for the run, made when a project has tests to run. */
const shared = {
  environment: 'node',
  globalSetup: ['tests/support/database/database-setup.ts'],
  env: { TZ: 'UTC' },
};

/** One after the other: each test of these has processes, a browser, or the clock to itself. */
const alone = {
  ...shared,
  fileParallelism: false,
  testTimeout: PATIENCE_MS,
  hookTimeout: PATIENCE_MS,
};

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['src/**/*.test.ts', 'tests/{,architecture/}*.test.ts', 'tools/*.test.ts'],
          exclude: ['src/**/*.browser.test.ts'],
          testTimeout: PATIENCE_MS,
          hookTimeout: PATIENCE_MS,
        },
      },
      {
        test: {
          environment: 'node',
          name: 'components',
          isolate: false,
          include: ['src/web/**/*.browser.test.ts'],
          globalSetup: ['tests/support/gallery-setup.ts'],
          env: { TZ: 'UTC' },
          testTimeout: PATIENCE_MS,
          hookTimeout: PATIENCE_MS,
        },
      },
      {
        test: {
          ...alone,
          fileParallelism: true,
          name: 'journeys',
          include: ['tests/journeys/**/*.{test,spec}.ts'],
        },
      },
      { test: { ...alone, name: 'chaos', include: ['tests/chaos/**/*.{test,spec}.ts'] } },
    ],
    maxWorkers: 2,
  },
});
