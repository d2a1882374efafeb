import type { Act, InputFor, OutputOf, PageOf } from '#contract/base/act.ts';
import type { LiveEvent } from '#contract/events.ts';
import { rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { addOperator, ensureOperator, systemAccount } from '#server/domains/accounts/accounts.ts';
import { type SupportDeps, openUsualAnswer, supportActs } from '#server/domains/support/support.ts';
import { usualHours } from '#tests/support/support-hours.ts';
import { openWallet } from '#server/domains/ledger/ledger.ts';
import { newId } from '#server/infra/ids.ts';
import { secretsFrom } from '#server/infra/security/secrets.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { type Customer, customerWith } from '#tests/support/people/people.ts';

/** Monday, 23 November 2026, 09.00 WIB. */
const MONDAY = new Date('2026-11-23T02:00:00Z');

type Answer<A extends Act> = A['list'] extends undefined ? OutputOf<A> : PageOf<OutputOf<A>>;
export type Ask = <A extends Act>(act: A, input: Omit<InputFor<A>, never>) => Promise<Answer<A>>;

/** Customer service with its own clock; notifications to open tabs are in `signals`. */
export async function supportApp(db: TestDatabase) {
  const { allAccountsSql } = db;
  await ensureOperator(allAccountsSql, { OPERATOR_PHONE: '6281100000001' }, openWallet);
  const systemAccountId = (await systemAccount(allAccountsSql)) ?? '';
  const signals: { accountId: string; event: LiveEvent }[] = [];
  const clock = {
    at: MONDAY.getTime(),
    now: () => new Date(clock.at),
    pass: (minutes: number) => void (clock.at += minutes * 60_000),
  };
  const deps: SupportDeps = {
    sql: db.tenantSql,
    allAccountsSql,
    now: clock.now,
    secrets: secretsFrom(Buffer.alloc(32)),
    systemAccountId,
    fileLink: (accountId, fileId) => `/files/${accountId}/${fileId}`,
    hub: { signal: async (accountId, event) => void signals.push({ accountId, event }) },
    messagePrice: () => rupiah(150),
    hours: () => usualHours,
    usualAnswer: openUsualAnswer(allAccountsSql, clock.now),
    onNews: () => undefined,
  };
  const handlers = new Map(supportActs(deps).map((one) => [one.act.name, one]));

  /** Calls as the portal's endpoint does: parses the input, checks the answer and refusals. */
  const askAs =
    (person: { accountId: string; userId: string }): Ask =>
    async (act, input) => {
      const handler = handlers.get(act.name);
      if (!handler) throw new Error(`no handler for ${act.name}`);
      const call = { caller: { kind: 'person', ...person } } as never;
      const answer = await handler.handle(call, act.input.parse(input) as never);
      if (act.list === undefined) return act.output.parse(answer) as never;
      const { rows, total } = answer as PageOf<unknown>;
      return { rows: rows.map((row) => act.output.parse(row)), total } as never;
    };

  const operator = async (name: string, roles: ('support' | 'money' | 'admin')[] = ['support']) => {
    const phone = `62811${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`;
    await addOperator(allAccountsSql, { name, phone, roles });
    const [found] = await allAccountsSql<{ user_id: string }[]>`
      select user_id from users where phone = ${phone}`;
    const person = { accountId: systemAccountId, userId: found?.user_id ?? '' };
    return { ...person, ask: askAs(person) };
  };
  const customer = async (
    options: Parameters<typeof customerWith>[1] = {},
  ): Promise<Customer & { ask: Ask }> => {
    const made = await customerWith(allAccountsSql, options);
    return { ...made, ask: askAs(made) };
  };
  return { deps, clock, signals, askAs, operator, customer };
}

export const text = (words: string, messageId: string = newId()) => ({
  message_id: messageId,
  text: words,
});

/** The refusal's code; fails if the call succeeds. */
export const refusalOf = async (work: Promise<unknown>): Promise<Refusal['code']> => {
  try {
    await work;
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
  throw new Error('nothing was refused');
};
