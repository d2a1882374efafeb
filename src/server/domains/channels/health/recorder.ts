import { withEachAccount } from '#server/infra/postgres/distribution/scope.ts';
import type { TokenRef } from '#server/domains/tokens/tokens.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { type ProviderAnswer, countAnswers, noteReceipts } from './health.ts';

/** How often what was recorded is written: a process that dies loses so much of a figure. */
const WRITE_MS = 2_000;

const HOUR_MS = 3_600_000;
/** What a number is told by is counted code by code up to here in an hour: whoever signs callbacks may name any. */
const CODES_MAX = 100;
/** What the codes beyond are counted as. */
const OTHER = 'other';

/** Collects, for the pages of owners and operators, what networks answer. */
export type HealthRecorder = {
  /** A network answered with something else than a success. */
  answered(answer: ProviderAnswer): void;
  /** A receipt has come for a message of a number. */
  receipt(number: TokenRef): void;
  /** Writes what was recorded, and stops. */
  close(): Promise<void>;
};

type Deps = { allAccountsSql: Sql; now: () => Date; report: (error: unknown) => void };

/** Records in memory, and writes every 2 s what has come. */
export function openHealthRecorder({ allAccountsSql, now, report }: Deps): HealthRecorder {
  let answers: ProviderAnswer[] = [];
  let receipts = new Map<string, TokenRef>();
  const countedAs = openCodes(now);
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  const write = () => {
    timer = undefined;
    const [some, numbers] = [answers, [...receipts.values()]];
    answers = [];
    receipts = new Map();
    writing = writing
      .then(async () => {
        await withEachAccount(some, (own) => countAnswers(allAccountsSql, own, now()));
        await withEachAccount(numbers, (own) => noteReceipts(allAccountsSql, own, now()));
      })
      .catch(report);
  };
  const soon = () => (timer ??= setTimeout(write, WRITE_MS).unref());
  return {
    answered(answer) {
      answers.push({ ...answer, code: countedAs(answer) });
      soon();
    },
    receipt({ accountId, tokenId }) {
      receipts.set(tokenId, { accountId, tokenId });
      soon();
    },
    async close() {
      clearTimeout(timer);
      write();
      await writing;
    },
  };
}

/** As which code an answer is counted. */
function openCodes(now: () => Date): (answer: ProviderAnswer) => string {
  let hour = 0;
  let known = new Map<string, Set<string>>();
  return ({ tokenId, code }) => {
    const current = Math.floor(now().getTime() / HOUR_MS);
    if (current !== hour) known = new Map();
    hour = current;
    const codes = known.get(tokenId) ?? new Set();
    known.set(tokenId, codes);
    if (codes.size >= CODES_MAX && !codes.has(code)) return OTHER;
    codes.add(code);
    return code;
  };
}
