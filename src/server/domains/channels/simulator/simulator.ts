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
import {
  type ConnectDeps,
  connectLink,
  scanQr,
  tokenOfPhone,
  pastPhonesOf,
} from '#server/domains/tokens/tokens.ts';
import { type Call, type ActHandler, handle } from '#server/infra/acts.ts';
import type { Config } from '#server/infra/config.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import type { Library } from '#server/domains/media/media.ts';
import { type NetworkDeps, openNetwork, type Network, type ReplyFacts } from './network.ts';
import { newId } from '#server/infra/ids.ts';
import { paced, type Pace, fixedOutcomeOf } from './outcomes.ts';
import { json } from '#server/infra/postgres/sql.ts';
import type { Direction, MessageType } from '#contract/messages.ts';
import type { ChatContent } from '#contract/messages/content.ts';
import { systemAccount } from '#server/domains/accounts/accounts.ts';
import { type AccountData, type ErasureRequest, untilNone } from '#server/infra/account-data.ts';

/**
 * An account's messages on simulated phones. They are no data of the account, as on a real phone; but this
 * network is ours, so they are erased with the account.
 */
export const simulatorAccountData = ({ allAccountsSql }: { allAccountsSql: Sql }): AccountData => ({
  erase: (erasure) => erase(allAccountsSql, erasure),
});

async function erase(allAccountsSql: Sql, { accountId, phones }: ErasureRequest): Promise<void> {
  const linked = await pastPhonesOf(allAccountsSql, accountId);
  const all = [...new Set([...phones, ...linked])];
  const system = (await systemAccount(allAccountsSql)) ?? null;
  await allAccountsSql`
    delete from sim_due where account_id = ${accountId} or facts->>'accountId' = ${accountId}
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

/** A line of the simulated bank's statement. */
export type BankLine = { amount: Rupiah; sender: string; reference: string; at: Date };

export type SimulatorDeps = {
  allAccountsSql: Sql;
  config: Pick<Config, 'SIMULATOR' | 'SIMULATOR_SPEED'>;
  /** What connecting a phone to a token needs. */
  connecting: ConnectDeps;
  library: Pick<Library, 'take'>;
  show: ShowContent;
  /** Receives a line of the bank's statement and matches it with top-ups; only where the bank is the simulated one. */
  receiveBankLine?: ((line: BankLine) => Promise<{ matched: boolean }>) | undefined;
  now: () => Date;
  /** Moves the clock of money forward, and does what is due then; only where it can be moved. */
  moveClock?: ((to: Date) => Promise<void>) | undefined;
  /** Another network inside the process takes the scan of a QR of its own; false when it is none. */
  scanStandIn?: ((text: string, phone: string) => boolean) | undefined;
  report: NetworkDeps['report'];
  /** The same seed gives the same message the same delivery times. */
  seed?: string;
};

export type Simulator = {
  /** For the registry of channels; only where the simulator is on. */
  channel: Channel;
  /** The acts behind `/simulator`; where the simulator is off they are refused as unknown. */
  acts: readonly ActHandler[];
};

/** Opens the simulated phone network and the acts of the phones in it. */
export function openSimulator(deps: SimulatorDeps): Simulator {
  const pace = { speed: deps.config.SIMULATOR_SPEED, seed: deps.seed ?? 'kabari' };
  const network = openNetwork({ ...deps, pace });
  const phones = { ...deps, pace, network };

  /** Where the simulator is off, its acts do not exist. */
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
 * Money arrives on the installation's account at the simulated bank. Anybody may ask for it, so there is no
 * such act where top-ups are transferred to a real account.
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
 * Deletes lines of phones after a day, read or not: one-time codes are stored there in clear, as on a real
 * phone. Also what has been due for a day without success. For the hourly clean-up job.
 */
export async function eraseOldLines(allAccountsSql: Sql): Promise<void> {
  await allAccountsSql`delete from sim_lines where at < statement_timestamp() - interval '1 day'`;
  await allAccountsSql`delete from sim_due where due_at < statement_timestamp() - interval '1 day'`;
}

type ScanDeps = PhoneDeps & {
  connecting: ConnectDeps;
  scanStandIn?: ((text: string, phone: string) => boolean) | undefined;
};

/** A phone takes this long to pair with the network, after its camera has read the QR. */
const PAIRING_MS = 1_500;

/**
 * The phone's camera has read a QR, or its owner typed the pairing code: the link is scanned now and
 * connected a moment later; this survives a crash, because it is stored in the database.
 *
 * @throws Refusal `qr_stale`, `link_gone` or `phone_taken`, as `scanQr` says.
 */
async function scanFromPhone(
  deps: ScanDeps,
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

/** Converts a message for the chat renderer; files become links that may be opened. */
type ShowContent = (accountId: string, type: MessageType, body: MessageBody) => ChatContent;

type PhoneDeps = {
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
 * The phone's owner writes to a number; it leaves at once, or when the phone is online again.
 *
 * @throws Refusal `not_found` when no token is linked to that number.
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
async function sendSample(
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
      update sim_due
      set due_at = greatest(due_at, statement_timestamp() + interval '1 millisecond' * case
        when kind = 'delivered' then ${deliveredMs}::int when kind = 'read' then ${readMs}::int else 0 end)
      where phone = ${phone}`;
  });
  network.wake(0);
  return readPhone(deps, phone);
}
