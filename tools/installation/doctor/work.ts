import { formatRupiah } from '#contract/base/money.ts';
import type { MoneyWork } from '#server/domains/payments/payments.ts';
import type { ChainVerification } from '#server/infra/acts/chain.ts';
import type { FailedJob, JobRuns } from '#server/infra/jobs.ts';
import { type Finding, ago, ok, warning, wrong } from './finding.ts';

const DAY_MS = 86_400_000;
const CHECK_HOURS_MAX = 26;
const LAG_SECONDS_WARNING = 10;
const LAG_SECONDS_WRONG = 60;

export function books(check: { at: Date; ok: boolean } | undefined, now: Date): Finding {
  if (!check) {
    return warning(
      'The books have not been checked yet: that happens at 00:10 WIB.',
      'Pembukuan, Periksa sekarang, checks them now.',
    );
  }
  const says = `The books were checked ${ago(check.at, now)}`;
  if (!check.ok) {
    return wrong(
      `${says} and are broken: nothing is paid out.`,
      'npm run operator -- ledger:check says which rows.',
    );
  }
  return now.getTime() - check.at.getTime() > CHECK_HOURS_MAX * (DAY_MS / 24)
    ? wrong(`${says}: the check of the last night is missing.`, 'See that the worker runs.')
    : ok(`${says} and hold.`);
}

/** Each kind of work on money, by urgency, and where an operator does it. */
const moneyWords: Record<keyof MoneyWork, readonly [what: string, where: string]> = {
  withdrawn: ['payments that their gateway took back', 'Dana belum dikenali'],
  bank_lines: ['bank lines that fit no top-up', 'Mutasi bank'],
  suspense: ['second payments of paid top-ups', 'Dana belum dikenali'],
  refunds: ['refunds that have not arrived', 'Dana belum dikenali'],
  topups: ['top-ups to decide', 'Isi saldo'],
};

export function money(waiting: MoneyWork): Finding {
  const open = (Object.keys(moneyWords) as (keyof MoneyWork)[]).filter(
    (work) => waiting[work].count > 0,
  );
  if (open.length === 0) return ok('No money waits for an operator.');
  const counts = open.map((work) => {
    const { count, amount } = waiting[work];
    return `${count} ${moneyWords[work][0]} (${formatRupiah(amount)})`;
  });
  const pages = [...new Set(open.map((work) => moneyWords[work][1]))];
  return warning(
    `Money waits for an operator: ${counts.join(', ')}.`,
    `See ${pages.join(', ')} in the operator pages.`,
  );
}

export function auditLog({ lines, chains, findings }: ChainVerification): Finding {
  return findings.length === 0
    ? ok(`${lines} lines of the audit log in ${chains} chains are as they were written.`)
    : wrong(
        `${findings.length} places of the audit log are not as they were written.`,
        'npm run operator -- ledger:check names each. Keep the database as it is, and find out who had access.',
      );
}

export function lanes(laneLagSeconds: number, waiting: number): Finding {
  const lag = Math.round(laneLagSeconds);
  if (lag > LAG_SECONDS_WRONG) {
    return wrong(
      `Messages have been due for ${lag} s and nobody sends them (${waiting} wait).`,
      'See that the worker runs (ROLE=worker or all).',
    );
  }
  return lag > LAG_SECONDS_WARNING
    ? warning(
        `The longest-waiting token has been due for ${lag} s (${waiting} messages wait).`,
        'Ask again in a minute.',
      )
    : ok(`${waiting} messages wait to leave, and are taken in time.`);
}

/** Unpublished events: ticks, saldo and webhooks depend on them. */
export function outbox(lagSeconds: number, setAside: number): Finding {
  const lag = Math.round(lagSeconds);
  if (lag > LAG_SECONDS_WRONG) {
    return wrong(
      `Events wait to be published for ${lag} s: statuses do not reach anybody.`,
      'See that the worker runs; its log says what it meets.',
    );
  }
  return setAside > 0
    ? warning(
        `${setAside} events could not be published and are tried again later.`,
        'The log says why, at "set aside".',
      )
    : ok('Events are published in time.');
}

/** Jobs whose last run was abandoned, and those without a success for too long. */
export function jobs(failed: readonly FailedJob[], runs: readonly JobRuns[]): Finding {
  const late = runs.filter(({ is_late }) => is_late).map(({ name }) => name);
  if (late.length > 0) {
    return wrong(
      `Jobs are late: ${late.join(', ')}.`,
      'See that the worker runs; its log says why, at "the jobs did not start" or "a job failed".',
    );
  }
  if (runs.length === 0) {
    return warning('No job has run here yet.', 'Start a worker (ROLE=worker or all).');
  }
  const open = failed.filter(({ is_over }) => !is_over).map(({ name }) => name);
  return open.length === 0
    ? ok('The jobs run in time, and none failed within a day without a later success.')
    : warning(
        `Jobs failed within a day: ${open.join(', ')}.`,
        'The log says why, at "a job failed".',
      );
}
