import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Ends what hangs. Nothing that is well comes near it, also where the machine is four times slower. */
const PATIENCE_MS = 240_000;

const patient = { testTimeout: PATIENCE_MS, hookTimeout: PATIENCE_MS };

/** What every project shares: one PostgreSQL for the run, made when a project has tests to run. */
const shared = {
  environment: 'node',
  globalSetup: ['tests/support/database/database-setup.ts'],
  env: { TZ: 'UTC' },
  ...patient,
};

/** Workers wait a part of the time: for PostgreSQL, for processes, for what moves on a screen. */
const four = { maxWorkers: 4, sequence: { groupOrder: 2 } };

/** Tests of the server wait more: for pauses that end, leases that run out, processes that start again. */
const five = { maxWorkers: 5, sequence: { groupOrder: 3 } };

/** Files of more than a minute, slowest first: one of them that begins last keeps every other worker waiting. */
const slowest = [
  'tests/chaos/chaos.test.ts',
  'tests/chaos/payments.test.ts',
  'tests/cloud-pauses.test.ts',
  'src/server/main.test.ts',
  'tests/hostile-input.test.ts',
  'tests/cloud-channel.test.ts',
  'tests/cloud-templates.test.ts',
  'src/server/infra/backup/backup.test.ts',
  'src/server/infra/embedded-postgres/embedded.test.ts',
  'tests/phone-numbers.test.ts',
];

/** Begins with the slowest files. Vitest's own order goes by size where nothing is known of the last run. */
class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = slowest.findIndex((name) => moduleId.endsWith(name));
      return place === -1 ? slowest.length : place;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

const units = [
  'src/**/*.test.ts',
  'tests/{,architecture/,support/meta/,support/meta/by-hand/}*.test.ts',
  'tools/**/*.test.ts',
];

/**
 * What keeps something for the whole process, as a page of the browser does; or replaces modules, the
 * clock or globals of it, or opens a bare server. Everything else loads the server once for many files.
 */
const apart = [
  'src/{web,contract}/**/*.test.ts',
  // With the real cost of passwords.
  'src/server/infra/security/passwords.test.ts',
  ...globSync('{src/server,tests,tools}/**/*.test.ts').filter((file) =>
    /\bvi\.(?:mock|hoisted|stub\w+|useFakeTimers|resetModules)\(|\bopenServer\(/.test(
      readFileSync(file, 'utf8'),
    ),
  ),
];

/** Left to `npm run test:all`, with the whole of `hostile-input.test.ts`; none of these guards money or identity. */
const ofAllAlone =
  process.env['TEST_ALL'] === '1'
    ? []
    : [
        // A backup that is restored elsewhere, a standby that takes over, and two versions side by side.
        'tests/restore.test.ts',
        'tests/chaos/promotion.test.ts',
        'tests/chaos/nodes/{rolling,versions}.test.ts',
        // Whether the judge of the chaos runs finds planted faults.
        'tests/chaos/judge.test.ts',
        // Clients in PHP, Python and curl.
        'tests/{dialect-documents,dialect-webhooks}.test.ts',
        'src/web/features/webhooks/samples/samples.test.ts',
        'tests/journeys/push-firefox.test.ts',
      ];

/** Where processes are killed again and again: most of a run is waiting until they are back. */
const kills = [
  'tests/chaos/{chaos,judge,payments,promotion,faults/database-link}.test.ts',
  'tests/chaos/nodes/*.test.ts',
];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...shared,
          ...five,
          name: 'unit',
          isolate: false,
          setupFiles: ['tests/support/quick-passwords.ts', 'tests/support/full-polling.ts'],
          include: units,
          exclude: [...apart, ...ofAllAlone],
        },
      },
      {
        test: {
          ...shared,
          ...five,
          name: 'unit-apart',
          include: apart,
          exclude: ['src/**/*.browser.test.ts', 'tests/{chaos,journeys}/**', ...ofAllAlone],
        },
      },
      {
        test: {
          ...four,
          environment: 'node',
          name: 'components',
          isolate: false,
          include: ['{src/web,stories}/**/*.browser.test.ts'],
          globalSetup: ['tests/support/gallery-setup.ts'],
          env: { TZ: 'UTC' },
          ...patient,
        },
      },
      {
        test: {
          ...shared,
          ...four,
          name: 'journeys',
          isolate: false,
          include: ['tests/journeys/**/*.test.ts'],
          exclude: ofAllAlone,
        },
      },
      { test: { ...shared, ...five, name: 'chaos', include: kills, exclude: ofAllAlone } },
      {
        // One after the other: what is measured in these has the machine to itself.
        test: {
          ...shared,
          name: 'chaos-alone',
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          include: ['tests/chaos/*.test.ts'],
          exclude: kills,
        },
      },
    ],
    maxWorkers: 2,
    sequence: { sequencer: SlowestFirst },
  },
});
