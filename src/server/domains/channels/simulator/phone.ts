import type { InputOf } from '#contract/base/act.ts';
import type { Direction, MessageType } from '#contract/messages.ts';
import type { ChatContent } from '#contract/messages/content.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type {
  SimulatedLine,
  SimulatedPhone,
  simulatedReply,
  simulatedSample,
  simulatedSwitch,
} from '#contract/simulator.ts';
import type { MessageBody } from '#server/domains/channels/channels.ts';
import { tokenOfPhone } from '#server/domains/tokens/tokens.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { newId } from '#server/infra/ids.ts';
import type { Network, ReplyFacts } from './network.ts';
import { type Pace, fixedOutcomeOf, paced } from './outcomes.ts';

/** Converts a message for the chat renderer; files become links that may be opened. */
export type ShowContent = (accountId: string, type: MessageType, body: MessageBody) => ChatContent;

export type PhoneDeps = {
  allAccountsSql: Sql;
  pace: Pace;
  show: ShowContent;
  network: Pick<Network, 'wake'>;
};

type LineRow = {
  line_id: string;
  direction: Direction;
  peer: string;
  type: MessageType;
  body: MessageBody;
  account_id: string;
  possible_duplicate: boolean;
  at: Date;
};

/** Lines that a phone shows. */
const LINES_SHOWN = 100;

/** A phone: its switches, its linked token, and its newest lines, oldest first. */
export async function readPhone(
  { allAccountsSql, show }: PhoneDeps,
  phone: string,
): Promise<SimulatedPhone> {
  const [switches] = await allAccountsSql<Pick<SimulatedPhone, 'offline' | 'slow' | 'blocked'>[]>`
    select offline, slow, blocked from sim_phones where phone = ${phone}`;
  const newest = await allAccountsSql<LineRow[]>`
    select line_id, direction, peer, type, body, account_id, possible_duplicate, at
    from sim_lines where phone = ${phone} order by line_id desc limit ${LINES_SHOWN}`;
  const linked = await tokenOfPhone(allAccountsSql, 'simulator', phone);
  return {
    phone,
    offline: switches?.offline ?? false,
    slow: switches?.slow ?? false,
    blocked: switches?.blocked ?? false,
    fixed_outcome: fixedOutcomeOf(phone),
    linked_to: linked ? [linked.tokenName] : [],
    lines: newest
      .toSorted((a, b) => a.at.getTime() - b.at.getTime())
      .map((row) => lineFrom(show, row)),
  };
}

const lineFrom = (show: ShowContent, row: LineRow): SimulatedLine => ({
  id: row.line_id,
  direction: row.direction,
  peer: row.peer,
  content: show(row.account_id, row.type, row.body),
  at: row.at,
  possible_duplicate: row.possible_duplicate,
});

/**
 * The phone's owner writes to a number; it leaves at once, or when the phone is online again.
 *
 * @throws Refusal `not_found` when no token is linked to that number.
 */
export async function sendFromPhone(
  deps: PhoneDeps,
  { phone, to, text }: InputOf<typeof simulatedReply>,
): Promise<SimulatedPhone> {
  const { allAccountsSql, network } = deps;
  const holder = await tokenOfPhone(allAccountsSql, 'simulator', to);
  if (!holder) throw new Refusal('not_found', { what: 'Nomor tujuan' });
  const lineId = newId();
  const facts: ReplyFacts = { lineId, to, what: 'text', text };
  await allAccountsSql`
    with line as (
      insert into sim_lines (phone, line_id, direction, peer, type, body, account_id)
      values (${phone}, ${lineId}, 'out', ${to}, 'text', ${json({ text })}, ${holder.accountId})
    )
    insert into sim_due (due_id, kind, due_at, phone, facts)
    values (${newId()}, 'inbound', clock_timestamp(), ${phone}, ${json(facts)})`;
  network.wake(0);
  return readPhone(deps, phone);
}

/**
 * The phone's owner sends a sample to a number; its line stands in the phone once it has left.
 *
 * @throws Refusal `not_found` when no token is linked to that number.
 */
export async function sendSample(
  deps: PhoneDeps,
  { phone, to, what }: InputOf<typeof simulatedSample>,
): Promise<SimulatedPhone> {
  const { allAccountsSql, network } = deps;
  const holder = await tokenOfPhone(allAccountsSql, 'simulator', to);
  if (!holder) throw new Refusal('not_found', { what: 'Nomor tujuan' });
  const facts: ReplyFacts = { lineId: newId(), fileId: newId(), to, what };
  await allAccountsSql`
    insert into sim_due (due_id, kind, due_at, phone, facts)
    values (${newId()}, 'inbound', clock_timestamp(), ${phone}, ${json(facts)})`;
  network.wake(0);
  return readPhone(deps, phone);
}

/** How long a phone that comes back takes to fetch what waited, and its owner to look at it. */
const ONLINE_MS = { delivered: 300, read: 2_500 };

/** Sets the phone's switches. One that comes online receives what waited, in realistic time. */
export async function setSwitches(
  deps: PhoneDeps,
  { phone, offline, slow, blocked }: InputOf<typeof simulatedSwitch>,
): Promise<SimulatedPhone> {
  const { allAccountsSql, network, pace } = deps;
  const deliveredMs = paced(ONLINE_MS.delivered, pace);
  const readMs = paced(ONLINE_MS.read, pace);
  await allAccountsSql.begin(async (tx) => {
    const [before] = await tx<{ offline: boolean }[]>`
      select offline from sim_phones where phone = ${phone} for update`;
    await tx`
      insert into sim_phones (phone, offline, slow, blocked)
      values (${phone}, ${offline === '1'}, ${slow === '1'}, ${blocked === '1'})
      on conflict (phone) do update
        set offline = excluded.offline, slow = excluded.slow, blocked = excluded.blocked`;
    if (!before?.offline || offline === '1') return;
    await tx`
      update sim_due
      set due_at = greatest(due_at, statement_timestamp() + interval '1 millisecond' * case
        when kind = 'delivered' then ${deliveredMs}::int when kind = 'read' then ${readMs}::int else 0 end)
      where phone = ${phone}`;
  });
  network.wake(0);
  return readPhone(deps, phone);
}
