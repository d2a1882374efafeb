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
} from '#contract/simulator.ts';
import type { Channel } from '#server/domains/channels/channels.ts';
import type { ConnectDeps } from '#server/domains/tokens/tokens.ts';
import { type Call, type ActHandler, handle } from '#server/infra/acts/act.ts';
import type { Config } from '#server/infra/config.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import type { Library } from '#server/domains/media/media.ts';
import { type NetworkDeps, openNetwork } from './network.ts';
import { type ShowContent, readPhone, setSwitches, sendFromPhone, sendSample } from './phone.ts';
import { scanFromPhone } from './scan.ts';

export { simulatorAccountData } from './account-data.ts';

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
