import { setTimeout as pause } from 'node:timers/promises';
import { Refusal } from '#contract/base/refusals.ts';
import { untilNone } from '#server/infra/account-data.ts';
import { type Sql, retrying } from '#server/infra/postgres/database.ts';
import { type SealedColumn, type Secrets, hmac } from '#server/infra/security/secrets.ts';

/** One mutation as the browser named it: the same person and key mean the same call. */
export type KeyedCall = {
  person: string;
  key: string;
  act: string;
  /** What was asked, in a form that is the same for the same request. */
  input: string;
};

/** What a call came to; `keep` false when a repeat shall try again. */
export type Outcome = { status: number; body: string; keep: boolean };

/** The memory of a portal's mutations. */
export type ActAnswers = {
  /**
   * Runs `work` for the first call with its key; a repeat gets the first answer again.
   *
   * @throws Refusal `idempotency_conflict` when the key stood for something else, and
   *   `request_in_flight` when the first call is still under way after 5 seconds.
   */
  once(call: KeyedCall, work: () => Promise<Outcome>): Promise<Outcome>;
};

const WAIT_MS = 5_000;
/** A call without an answer after this long died with its process; longer than any act may take. */
const ABANDONED_SECONDS = 30;
const RETRY_SECONDS = 2;

const contextOf = ({ person, key }: Pick<KeyedCall, 'person' | 'key'>): string =>
  `act_answers ${person} ${key}`;

export const sealedAnswers: SealedColumn = {
  table: 'act_answers',
  column: 'sealed',
  key: ['person', 'key'],
  context: ({ person = '', key = '' }) => contextOf({ person, key }),
};

/**
 * Answers kept in the table `act_answers` for 24 hours, sealed, because some hold a session's token.
 *
 * A call whose process died counts as never made after half a minute: what it committed is told apart
 * by its act, which knows the same key. Without the database nothing runs: this fails closed.
 */
export function openAnswers(
  allAccountsSql: Sql,
  secrets: Secrets,
  report: (trouble: unknown) => void,
): ActAnswers {
  const claim = async (call: KeyedCall, hash: Buffer): Promise<boolean> => {
    const claimed = await allAccountsSql`
      insert into act_answers as kept (person, key, act, input_hash)
      values (${call.person}, ${call.key}, ${call.act}, ${hash})
      on conflict (person, key) do update set created_at = excluded.created_at
        where kept.status is null and kept.input_hash = excluded.input_hash
          and excluded.created_at - kept.created_at > make_interval(secs => ${ABANDONED_SECONDS})
      returning key`;
    return claimed.length === 1;
  };

  const first = async (call: KeyedCall, hash: Buffer): Promise<Outcome | undefined> => {
    const [row] = await allAccountsSql<
      { hash: Buffer; status: number | null; sealed: Buffer | null }[]
    >`
      select input_hash as hash, status, sealed from act_answers
      where person = ${call.person} and key = ${call.key}`;
    if (!row) return undefined;
    if (!row.hash.equals(hash)) throw new Refusal('idempotency_conflict', {});
    if (row.status === null || row.sealed === null) return undefined;
    const body = secrets.open(row.sealed, contextOf(call));
    if (!body) throw new Error('act_answers: an answer does not open');
    return { status: row.status, body: body.toString('utf8'), keep: true };
  };

  const keep = async (call: KeyedCall, { status, body }: Outcome): Promise<void> => {
    await allAccountsSql`
      update act_answers set status = ${status}, sealed = ${secrets.seal(body, contextOf(call))}
      where person = ${call.person} and key = ${call.key}`;
  };

  const forget = async ({ person, key }: KeyedCall): Promise<void> => {
    await allAccountsSql`
      delete from act_answers where person = ${person} and key = ${key} and status is null`;
  };

  return {
    async once(call, work) {
      const hash = hmac(secrets.key('pepper'), 'act input', call.act, call.input);
      const until = performance.now() + WAIT_MS;
      for (let waitMs = 20; !(await claim(call, hash)); waitMs = Math.min(waitMs * 2, 250)) {
        const answered = await first(call, hash);
        if (answered) return answered;
        if (performance.now() > until) {
          throw new Refusal('request_in_flight', { seconds: RETRY_SECONDS });
        }
        await pause(waitMs);
      }
      const outcome = await work().catch(async (error: unknown) => {
        await forget(call).catch(report);
        throw error;
      });
      // The work is done: trouble with its memory must not turn the answer into a "no".
      await retrying(() => (outcome.keep ? keep(call, outcome) : forget(call))).catch(report);
      return outcome;
    },
  };
}

/** Answers older than a day, forgotten some thousand in a transaction; how many. */
export async function pruneAnswers(allAccountsSql: Sql): Promise<number> {
  let forgotten = 0;
  await untilNone(async (limit) => {
    const { count } = await allAccountsSql`
      delete from act_answers where (person, key) in (
        select person, key from act_answers
        where created_at < statement_timestamp() - interval '24 hours'
        order by created_at, person, key limit ${limit})`;
    forgotten += count;
    return count;
  });
  return forgotten;
}

/** Forgets all answers that people got. @param people their ids, as `KeyedCall.person` names them. */
export async function forgetAnswers(allAccountsSql: Sql, people: readonly string[]): Promise<void> {
  await allAccountsSql`delete from act_answers where person = any(${[...people]}::text[])`;
}
