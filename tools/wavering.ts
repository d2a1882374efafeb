import type { Reporter, TestCase } from 'vitest/node';

/** Names, at the end of a run, the tests that held only at their second try: each is a bug of today. */
// oxlint-disable-next-line import/no-default-export -- Vitest takes a reporter by its default.
export default class Wavering implements Reporter {
  readonly #names: string[] = [];

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky)
      this.#names.push(`${test.module.relativeModuleId} > ${test.fullName}`);
  }

  onTestRunEnd(): void {
    for (const name of this.#names)
      process.stdout.write(`  ~ wavered, held at its second try: ${name}\n`);
  }
}
