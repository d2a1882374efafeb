import { sweepAccounts } from '#server/domains/accounts/accounts.ts';
import { expireTopups } from '#server/domains/payments/payments.ts';
import {
  type Lanes,
  type Relay,
  expireMessages,
  retryParked,
  startRelay,
} from '#server/domains/messages/messages.ts';
import { type PushSender, startPushSender, sweepPush } from '#server/domains/push/push.ts';
import { eraseOldLines } from '#server/domains/channels/simulator/simulator.ts';
import { pruneLinks } from '#server/domains/tokens/tokens.ts';
import { pruneAnswers } from '#server/infra/acts/answers.ts';
import { forgetStrangers } from '#server/infra/acts/audit.ts';
import { type Sql, openDatabase } from '#server/infra/postgres/database.ts';
import { type Job, type Jobs, startJobs } from '#server/infra/jobs/jobs.ts';
import { LIVE_CHANNEL } from '#server/domains/events/live.ts';
import type { Container } from './container.ts';

/** The part of the house that works by itself: lanes, relay, channels, jobs. */
export type Worker = {
  lanes: Lanes;
  relay: Relay;
  pushes: PushSender;
  /** Throws when a lane has been due for long and nobody owns it. */
  checkLanes: () => Promise<void>;
  /** Takes no new work, finishes what is under way, and gives its lanes back. */
  close: () => Promise<void>;
};

/** Accounts named in one hint: a NOTIFY carries at most 8,000 bytes. */
const NAMES_MAX = 200;

/** Starts the work. @param ownerUrl the database as its owner, for the jobs' own tables. */
export async function startWorker(container: Container, ownerUrl: string): Promise<Worker> {
  const { log, report, config, messages, simulator } = container;
  const sql = container.allAccountsSql;
  const pushes = startPushSender(container.push);
  const relay = startRelay({ sql, log }, (accounts) => {
    pushes.poke();
    void hint(sql, accounts).catch(report);
  });
  const lanes = messages.startLanes();
  container.onWork(() => {
    lanes.poke();
    relay.poke();
  });
  if (config.SIMULATOR) {
    await simulator.channel.start({
      receipts: messages.sinks.receipts,
      inbound: container.subscribers.messageCame,
    });
  }
  const jobs = startJobsSoon(container, ownerUrl);
  // Asked for here, begun soon; elsewhere, within a minute.
  container.exports.onAsked(() => {
    jobs.then((started) => started?.start(DATA_EXPORTS)).catch(report);
  });
  return {
    lanes,
    relay,
    pushes,
    checkLanes: () => checkLanes(sql),
    close: async () => {
      await Promise.all([lanes.close(), jobs.then((started) => started?.close())]);
      if (config.SIMULATOR) await simulator.channel.close();
      await relay.close();
      await pushes.close();
    },
  };
}

/** Jobs start behind the doors: nobody waits for them, and without them the house still serves. */
async function startJobsSoon(container: Container, ownerUrl: string): Promise<Jobs | undefined> {
  const owner = openDatabase(ownerUrl, { max: 1, as: 'owner', name: 'jobs' });
  try {
    return await startJobs(
      { owner, allAccountsSql: container.allAccountsSql, log: container.log },
      jobsOf(container),
    );
  } catch (error) {
    container.log.error({ err: error }, 'the jobs did not start');
    return undefined;
  } finally {
    await owner.end({ timeout: 5 });
  }
}

/** Tells every process, after COMMIT, whose events have grown. */
async function hint(sql: Sql, accounts: ReadonlySet<string>): Promise<void> {
  const names = [...accounts];
  for (let from = 0; from < names.length; from += NAMES_MAX) {
    await sql`select pg_notify(${LIVE_CHANNEL}, ${names.slice(from, from + NAMES_MAX).join(',')})`;
  }
}

const DATA_EXPORTS = 'data-exports';

const jobsOf = ({ allAccountsSql, now, uploads, exports, eraseDue }: Container): readonly Job[] => [
  {
    name: 'message-partitions',
    cron: '7 * * * *',
    run: () => allAccountsSql`select ensure_message_partitions(clock_timestamp(), 3)`,
  },
  { name: 'topup-expiry', cron: '* * * * *', run: () => expireTopups({ allAccountsSql, now }) },
  { name: 'message-expiry', cron: '* * * * *', run: () => expireMessages(allAccountsSql) },
  { name: 'parked-receipts', cron: '* * * * *', run: () => retryParked(allAccountsSql) },
  { name: 'account-sweep', cron: '12 * * * *', run: () => sweepAccounts(allAccountsSql) },
  { name: 'answer-pruning', cron: '17 * * * *', run: () => pruneAnswers(allAccountsSql) },
  { name: 'link-pruning', cron: '22 * * * *', run: () => pruneLinks(allAccountsSql) },
  { name: 'simulated-lines', cron: '27 * * * *', run: () => eraseOldLines(allAccountsSql) },
  { name: 'upload-sweep', cron: '42 * * * *', run: () => uploads.sweep() },
  { name: DATA_EXPORTS, cron: '* * * * *', heartbeatSeconds: 60, run: () => exports.work() },
  { name: 'export-sweep', cron: '47 * * * *', run: () => exports.sweep() },
  { name: 'account-erasure', cron: '* * * * *', heartbeatSeconds: 60, run: () => eraseDue() },
  { name: 'stranger-audit', cron: '52 * * * *', run: () => forgetStrangers(allAccountsSql) },
  { name: 'push-sweep', cron: '37 * * * *', run: () => sweepPush(allAccountsSql) },
  { name: 'history-pruning', cron: '32 * * * *', run: () => pruneHistory(allAccountsSql) },
];

/** A lane that is due belongs to somebody within a second; after ten nobody is taking lanes. */
async function checkLanes(sql: Sql): Promise<void> {
  const [row] = await sql`
    select from lanes where ready_at < clock_timestamp() - interval '10 seconds'
      and (owner is null or lease_until < clock_timestamp()) limit 1`;
  if (row) throw new Error('due lanes have no owner');
}

const ROWS_AT_ONCE = 5_000;

/** Forgets request keys, refs and events after 30 days, a few thousand rows at a time. */
async function pruneHistory(allAccountsSql: Sql): Promise<void> {
  const before = allAccountsSql`clock_timestamp() - interval '30 days'`;
  const rounds = [
    () => allAccountsSql`
      delete from request_keys where (account_id, token_id, key) in (
        select account_id, token_id, key from request_keys where created_at < ${before}
        limit ${ROWS_AT_ONCE})`,
    () => allAccountsSql`
      delete from message_refs where (account_id, ref) in (
        select account_id, ref from message_refs where created_at < ${before} limit ${ROWS_AT_ONCE})`,
    () => allAccountsSql`
      delete from events where (account_id, position) in (
        select account_id, position from events where at < ${before} limit ${ROWS_AT_ONCE})`,
  ];
  for (const round of rounds) {
    while ((await round()).count === ROWS_AT_ONCE);
  }
}
