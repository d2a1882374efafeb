import { randomBytes } from 'node:crypto';
import type { Act, InputOf } from '#contract/base/act.ts';
import { type Rupiah, rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import {
  simulatedClock,
  simulatedPhone,
  simulatedReply,
  simulatedSample,
  simulatedScan,
  simulatedSwitch,
  simulatedTransfer,
  type SimulatedPhone,
  type SimulatedMessage,
} from '#contract/simulator.ts';
import type { Channel, MessageBody } from '#server/domains/channels/channels.ts';
import { connectLink, scanQr, tokenOfPhone, pastPhonesOf } from '#server/domains/tokens/tokens.ts';
import { type Call, type ActHandler, handle } from '#server/infra/acts.ts';
import type { Config } from '#server/infra/config.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { type NetworkDeps, openNetwork, type Network, type ReplyFacts } from './network.ts';
import { newId } from '#server/infra/ids.ts';
import { paced, type Pace, fixedOutcomeOf } from './outcomes.ts';
import { json } from '#server/infra/postgres/sql.ts';
import type { Direction, MessageType } from '#contract/messages.ts';
import type { ChatContent } from '#contract/messages/content.ts';
import { systemAccount } from '#server/domains/accounts/accounts.ts';
import { type AccountData, type ErasureRequest, untilNone } from '#server/infra/account-data.ts';

/** Account data: messages on simulated phones. Erased with the account, but not exported. */
export const simulatorAccountData = ({ allAccountsSql }: { allAccountsSql: Sql }): AccountData => ({
  erase: (erasure) => erase(allAccountsSql, erasure),
});

async function erase(allAccountsSql: Sql, { accountId, phones }: ErasureRequest): Promise<void> {
  const linked = await pastPhonesOf(allAccountsSql, accountId);
  const all = [...new Set([...phones, ...linked])];
  const system = (await systemAccount(allAccountsSql)) ?? null;
  await allAccountsSql`
    delete from sim_events where account_id = ${accountId} or facts->>'accountId' = ${accountId}
      or (kind = 'inbound' and facts->>'to' = any(${linked}::text[]))
      or (account_id = ${system} and phone = any(${all}::text[]))`;
  await untilNone(async (limit) => {
    const { count } = await allAccountsSql`
      delete from sim_lines where (phone, line_id) in (
        select phone, line_id from sim_lines where account_id = ${accountId}
          or (account_id = ${system} and phone = any(${all}::text[]))
        order by phone, line_id limit ${limit})`;
    return count;
  });
  await allAccountsSql`delete from sim_phones where phone = any(${all}::text[])`;
}

export type BankLine = { amount: Rupiah; sender: string; reference: string; at: Date };

export type SimulatorDeps = Omit<NetworkDeps, 'pace'> & {
  config: Pick<Config, 'SIMULATOR' | 'SIMULATOR_SPEED'>;
  show: ShowContent;
  /** Matches a line of the bank's statement with top-ups; only if the bank is simulated. */
  receiveBankLine?: ((line: BankLine) => Promise<{ matched: boolean }>) | undefined;
  now: () => Date;
  /** Moves the clock of money forward, and does what is due then; only if it can be moved. */
  moveClock?: ((to: Date) => Promise<void>) | undefined;
  /** Another network in the process takes the scan of its own QR; false if it is not its own. */
  scanStandIn?: ((text: string, phone: string) => boolean) | undefined;
  seed?: string;
};

export type Simulator = {
  channel: Channel;
  acts: readonly ActHandler[];
};

export function openSimulator(deps: SimulatorDeps): Simulator {
  const pace = { speed: deps.config.SIMULATOR_SPEED, seed: deps.seed ?? 'kabari' };
  const network = openNetwork({ ...deps, pace });
  const phones = { ...deps, pace, network };

  const whenOn = <A extends Act, Result>(act: A, handle: (input: InputOf<A>) => Promise<Result>) =>
    [
      act,
      async (_call: Call<A['by']>, input: InputOf<A>): Promise<Result> => {
        if (!deps.config.SIMULATOR) throw new Refusal('act_unknown', {});
        return handle(input);
      },
    ] as const;

  return {
    channel: network,
    acts: [
      handle(...whenOn(simulatedPhone, ({ phone }) => readPhone(phones, phone))),
      handle(...whenOn(simulatedReply, (input) => sendFromPhone(phones, input))),
      handle(...whenOn(simulatedSample, (input) => sendSample(phones, input))),
      handle(...whenOn(simulatedSwitch, (input) => setSwitches(phones, input))),
      handle(...whenOn(simulatedScan, (input) => scanFromPhone(phones, input))),
      handle(...whenOn(simulatedTransfer, (input) => transfer(deps, input))),
      handle(...whenOn(simulatedClock, (input) => moveClock(deps, input))),
    ],
  };
}

/**
 * Transfers money at the simulated bank. Open to any caller, so it does not exist with a real bank.
 */
async function transfer(
  { receiveBankLine, now }: SimulatorDeps,
  { amount, sender }: InputOf<typeof simulatedTransfer>,
) {
  if (!receiveBankLine) throw new Refusal('act_unknown', {});
  const line = { amount: rupiah(amount), sender, reference: bankReference(), at: now() };
  const { matched } = await receiveBankLine(line);
  return { reference: line.reference, amount: line.amount, matched };
}

async function moveClock(
  { now, moveClock: move }: SimulatorDeps,
  { advance_seconds: seconds = 0, to }: InputOf<typeof simulatedClock>,
) {
  if (!move) throw new Refusal('act_unknown', {});
  const later = now().getTime() + seconds * 1_000;
  await move(new Date(Math.max(later, to === undefined ? 0 : Date.parse(to))));
  return { now: now() };
}

const bankReference = () => `SIM-${randomBytes(6).toString('hex').toUpperCase()}`;

/**
 * Deletes messages after a day, read or not, as one-time codes are stored in clear, and rows that were due for a day.
 * For the hourly clean-up job.
 */
export async function eraseOldLines(allAccountsSql: Sql): Promise<void> {
  await allAccountsSql`delete from sim_lines where at < statement_timestamp() - interval '1 day'`;
  await allAccountsSql`delete from sim_events where due_at < statement_timestamp() - interval '1 day'`;
}

const PAIRING_MS = 1_500;

/**
 * The phone has read a QR, or its owner typed the pairing code: the link is scanned now and connected a moment later.
 * Stored in the database, so that it survives a crash.
 *
 * @throws Refusal `qr_stale`, `link_gone` or `phone_taken`, as `scanQr` does
 */
async function scanFromPhone(
  deps: PhoneDeps,
  { phone, text }: InputOf<typeof simulatedScan>,
): Promise<SimulatedPhone> {
  if (deps.scanStandIn?.(text.trim(), phone)) return readPhone(deps, phone);
  const pairingMs = paced(PAIRING_MS, deps.pace);
  const link = await scanQr(deps.connecting, text.trim(), phone, async (tx, scanned) => {
    const facts = { accountId: scanned.accountId, linkId: scanned.linkId };
    await tx`select schedule_pairing(${newId()}, ${phone}, ${json(facts)}, ${pairingMs})`;
  });
  if (pairingMs === 0) await connectLink(deps.connecting, link);
  deps.network.wake(pairingMs);
  return readPhone(deps, phone);
}

type ShowContent = (accountId: string, type: MessageType, body: MessageBody) => ChatContent;

type PhoneDeps = SimulatorDeps & { pace: Pace; network: Pick<Network, 'wake'> };

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

const LINES_SHOWN = 100;

async function readPhone(
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

const lineFrom = (show: ShowContent, row: LineRow): SimulatedMessage => ({
  id: row.line_id,
  direction: row.direction,
  peer: row.peer,
  content: show(row.account_id, row.type, row.body),
  at: row.at,
  possible_duplicate: row.possible_duplicate,
});

/**
 * The phone's owner writes to a number; the message leaves at once, or when the phone is online again.
 *
 * @throws Refusal `not_found` if no token is linked to that number
 */
async function sendFromPhone(
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
    insert into sim_events (due_id, kind, due_at, phone, facts)
    values (${newId()}, 'inbound', clock_timestamp(), ${phone}, ${json(facts)})`;
  network.wake(0);
  return readPhone(deps, phone);
}

/**
 * The phone's owner sends a sample to a number; the phone shows it once it has left.
 *
 * @throws Refusal `not_found` if no token is linked to that number
 */
async function sendSample(
  deps: PhoneDeps,
  { phone, to, what }: InputOf<typeof simulatedSample>,
): Promise<SimulatedPhone> {
  const { allAccountsSql, network } = deps;
  const holder = await tokenOfPhone(allAccountsSql, 'simulator', to);
  if (!holder) throw new Refusal('not_found', { what: 'Nomor tujuan' });
  const facts: ReplyFacts = { lineId: newId(), fileId: newId(), to, what };
  await allAccountsSql`
    insert into sim_events (due_id, kind, due_at, phone, facts)
    values (${newId()}, 'inbound', clock_timestamp(), ${phone}, ${json(facts)})`;
  network.wake(0);
  return readPhone(deps, phone);
}

/** Times until a phone that comes back has fetched what waited, and its owner has read it. */
const ONLINE_MS = { delivered: 300, read: 2_500 };

async function setSwitches(
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
      update sim_events
      set due_at = greatest(due_at, statement_timestamp() + interval '1 millisecond' * case
        when kind = 'delivered' then ${deliveredMs}::int when kind = 'read' then ${readMs}::int else 0 end)
      where phone = ${phone}`;
  });
  network.wake(0);
  return readPhone(deps, phone);
}
