/**
 * `npm run test:mutation -- SUBJECT [FILE…]`: mutates a subject, or some files of it, and runs its tests
 * (docs/testing.md).
 */
import { join } from 'node:path';
import { Stryker } from '@stryker-mutator/core';

type Subject = {
  mutate: readonly string[];
  tests: readonly string[];
  hasDatabase?: boolean;
};

const payments = 'src/server/domains/payments';
const accounts = 'src/server/domains/accounts';
const ledger = 'src/server/domains/ledger';

/** Subjects whose tests need no database come first. */
const subjects = {
  redirects: {
    mutate: ['src/web/browser/redirect.ts', 'src/web/app/routes/returnTarget.ts'],
    tests: ['src/web/browser/redirect.test.ts'],
  },
  'form-rules': {
    mutate: ['src/web/ui/form/formRules.ts'],
    tests: ['src/web/ui/form/formRules.test.ts'],
  },
  captions: {
    mutate: ['src/contract/messages/captions.ts'],
    tests: ['src/contract/messages/captions.test.ts'],
  },
  statements: {
    mutate: [`${payments}/statements/{parse,values,columns,balances}.ts`],
    tests: [`${payments}/statements/parse.test.ts`],
  },
  'form-parser': {
    mutate: ['src/contract/base/form.ts'],
    tests: ['src/contract/base/form.test.ts'],
  },
  passwords: {
    mutate: [
      'src/server/infra/security/{passwords,common-passwords}.ts',
      `${accounts}/secondfactor/totp.ts`,
    ],
    tests: [
      'src/server/infra/security/{passwords,common-passwords}.test.ts',
      `${accounts}/secondfactor/totp.test.ts`,
    ],
  },
  batcher: {
    mutate: [`${ledger}/batcher.ts`],
    tests: [`${ledger}/batcher.test.ts`],
  },
  multipart: {
    mutate: ['src/server/http/body.ts'],
    tests: ['src/server/http/body.test.ts'],
    hasDatabase: true,
  },
  idempotency: {
    mutate: ['src/server/infra/acts.ts'],
    tests: ['src/server/infra/{answers,limits}.test.ts'],
    hasDatabase: true,
  },
  matching: {
    mutate: [`${payments}/statements/import.ts`, `${payments}/bank.ts`],
    tests: [`${payments}/statements/import.test.ts`, `${payments}/bank.test.ts`],
    hasDatabase: true,
  },
  payments: {
    mutate: [
      `${payments}/gateways/{wire,status-of}.ts`,
      `${payments}/gateways/{midtrans,orders}.ts`,
    ],
    tests: [`${payments}/gateways/{adapters,inbox}.test.ts`],
    hasDatabase: true,
  },
  otp: {
    mutate: [`${accounts}/otp/*.ts`],
    tests: [`${accounts}/signin/{register,forgot}.test.ts`],
    hasDatabase: true,
  },
  'sign-in': {
    mutate: [`${accounts}/signin/{login,login-tries,sign-in}.ts`],
    tests: [`${accounts}/signin/login.test.ts`],
    hasDatabase: true,
  },
  sessions: {
    mutate: [`${accounts}/sessions/*.ts`],
    tests: [`${accounts}/sessions/*.test.ts`],
    hasDatabase: true,
  },
  ledger: {
    mutate: [`${ledger}/{check,statement,seals}.ts`],
    tests: [`${ledger}/{statement,statement-messages,seals}.test.ts`],
    hasDatabase: true,
  },
} satisfies Record<string, Subject>;

const isSubject = (name: string): name is keyof typeof subjects => Object.hasOwn(subjects, name);

const [name = '', ...files] = process.argv.slice(2);
if (!isSubject(name)) throw new Error(`Name one of: ${Object.keys(subjects).join(', ')}`);
const { mutate, tests, hasDatabase }: Subject = subjects[name];
// Stryker's own `testFiles` switches constants of a module too late: they would survive unnoticed.
process.env['MUTATION_SUBJECT'] = JSON.stringify({ tests, hasDatabase });
await new Stryker({
  mutate: files.length > 0 ? files : [...mutate],
  dryRunTimeoutMinutes: 30,
  testRunner: 'vitest',
  plugins: [import.meta.resolve('@stryker-mutator/vitest-runner')],
  vitest: { configFile: 'tools/mutation.config.ts', related: false },
  // Stryker rewrites this file with the compiler's API, which TypeScript 7 does not have. Nothing here needs it.
  tsconfigFile: 'none',
  ignorePatterns: ['/dist', '/.data', '/coverage'],
  tempDirName: 'coverage/sandbox',
  disableTypeChecks: false,
  concurrency: 1,
  reporters: ['clear-text', 'json', 'progress-append-only'],
  jsonReporter: { fileName: join('coverage/mutation', `${name}.json`) },
  clearTextReporter: { allowEmojis: false, logTests: false, reportTests: false },
  thresholds: { high: 90, low: 80, break: 80 },
}).runMutationTest();
