import { join } from 'node:path';
import { backupFolderOf } from '#server/app/jobs.ts';
import { everyOperator, secondFactorsOf } from '#server/domains/accounts/accounts.ts';
import { readSellerGaps } from '#server/domains/billing/billing.ts';
import { countSetAside, outboxLagSeconds } from '#server/domains/events/events.ts';
import { lastCheck } from '#server/domains/ledger/ledger.ts';
import { someContents } from '#server/domains/media/contents.ts';
import { countDispatch, laneLagSeconds } from '#server/domains/messages/messages.ts';
import { moneyWork } from '#server/domains/payments/payments.ts';
import { verifyAudit } from '#server/infra/acts/chain.ts';
import { readArchiving } from '#server/infra/backup/archiving.ts';
import { lastBackup } from '#server/infra/backup/runs.ts';
import { readBackupKey } from '#server/infra/backup/archive/seal.ts';
import type { Config } from '#server/infra/config.ts';
import { openBucket, type S3Store } from '#server/infra/file-store/open.ts';
import { isHeld } from '#server/infra/embedded-postgres/folder-lock.ts';
import { failedJobs, readJobRuns } from '#server/infra/jobs.ts';
import { readDatabaseFacts } from '#server/infra/postgres/check.ts';
import { type Sql, openDatabase } from '#server/infra/postgres/database.ts';
import { compareMigrations } from '#server/infra/postgres/migrations.ts';
import { FIRST_LSN, readReplicationStatus } from '#server/infra/postgres/replica.ts';
import { installationId, countSealedSecrets } from '#server/infra/security/secrets.ts';
import { waitingChanges } from '#server/infra/settings/live.ts';
import { StartError } from '#server/infra/start-error.ts';
import type { Call, Command } from './command.ts';
import { dataFolderOf, openInstallation } from './open.ts';
import { foreignBackup, lastRun, newestBackup, ownDisk } from './doctor/backups.ts';
import {
  clocks,
  databaseVersion,
  durability,
  migrations,
  replica,
  superuser,
} from './doctor/database.ts';
import { movedFiles, placeOfFiles, storeOfFiles, versionsOfFiles } from './doctor/files.ts';
import { type Finding, finding, linesOf, wrong } from './doctor/finding.ts';
import { dataFolder, disk, firstPassword, keyFile, listening } from './doctor/machine.ts';
import {
  captcha,
  nodeVersion,
  production,
  proxies,
  secretKey,
  secondFactors,
  seller,
  settingNames,
  simulator,
  waitingSettings,
} from './doctor/settings.ts';
import { auditLog, books, jobs, lanes, money, outbox } from './doctor/work.ts';

const serverFolder = join(import.meta.dirname, '../../src/server');

type Checks = readonly (readonly [name: string, check: () => Finding | Promise<Finding>])[];

function checksOfMachine(config: Config, env: Call['env']): Checks {
  const folder = dataFolderOf(config);
  const isOwn = config.DATABASE_URL === undefined;
  const port = config.ROLE === 'worker' ? (config.HEALTH_PORT ?? config.PORT) : config.PORT;
  return [
    ['Node', () => nodeVersion(process.version)],
    ['the names of settings', () => settingNames(env)],
    ['the rules', () => production(config)],
    ['the simulator', () => simulator(config)],
    ['the captcha', () => captcha(config)],
    ['the proxies', () => proxies(config)],
    ['the data folder', () => dataFolder(folder)],
    ['the disk', () => disk('the data', folder)],
    ['the first password', () => firstPassword(folder)],
    ['the files', () => placeOfFiles(config)],
    ['the port', () => listening({ host: config.HOST, port, isRunning: isOwn && isHeld(folder) })],
  ];
}

type Pools = { owner: Sql; allAccountsSql: Sql };

function checksOfDatabase(config: Config, { owner, allAccountsSql }: Pools, now: Date): Checks {
  const facts = () => readDatabaseFacts(owner);
  const first = async (figures: Promise<{ value: number }[]>) => (await figures)[0]?.value ?? 0;
  return [
    ['the version', async () => databaseVersion(await facts())],
    ['the role', async () => superuser(await facts(), config.production)],
    ['durability', async () => durability(await facts())],
    ['the clocks', async () => clocks(await facts(), new Date())],
    ...checksOfReplica(config, owner),
    [
      'the tables',
      async () => migrations(await compareMigrations(owner, join(serverFolder, 'migrations'))),
    ],
    ['SECRET_KEY', async () => secretKey(config, await countSealedSecrets(allAccountsSql, config))],
    ['the operators', async () => secondFactors(config, await factorsOfOperators(allAccountsSql))],
    ['safeguards', async () => waitingSettings(await waitingChanges(allAccountsSql))],
    ['the seller', async () => seller(await readSellerGaps(allAccountsSql))],
    ['the books', async () => books(await lastCheck(allAccountsSql), now)],
    ['money', async () => money(await moneyWork(allAccountsSql, now))],
    [
      'the audit log',
      async () => auditLog(await verifyAudit(allAccountsSql, dataFolderOf(config))),
    ],
    [
      'what is to be sent',
      async () =>
        lanes(
          await first(laneLagSeconds(allAccountsSql)),
          await first(countDispatch(allAccountsSql)),
        ),
    ],
    [
      'events',
      async () =>
        outbox(
          await first(outboxLagSeconds(allAccountsSql)),
          await first(countSetAside(allAccountsSql)),
        ),
    ],
    ['jobs', async () => jobs(await failedJobs(owner), await readJobRuns(allAccountsSql))],
    ...checksOfBackups(config, { owner, allAccountsSql }, now),
  ];
}

const SOME_FILES = 20;

const checksOfFiles = (store: S3Store, all: Sql): Checks => [
  ['the store of files', () => storeOfFiles(store)],
  ['the files in it', async () => movedFiles(store, await someContents(all, SOME_FILES))],
  ['former versions of files', () => versionsOfFiles(store)],
];

function checksOfReplica({ DATABASE_REPLICA_URL: url }: Config, owner: Sql): Checks {
  if (url === undefined) return [];
  const look = async () => {
    const sql = openDatabase(url, { max: 1, as: 'all accounts', name: 'doctor' });
    try {
      return replica(await readReplicationStatus(owner, sql, FIRST_LSN).catch(() => undefined));
    } finally {
      await sql.end({ timeout: 1 });
    }
  };
  return [['the replica', look]];
}

async function factorsOfOperators(allAccountsSql: Sql) {
  const everybody = await everyOperator(allAccountsSql);
  const operators = everybody.filter(({ isRemoved }) => !isRemoved);
  const factors = await secondFactorsOf(
    allAccountsSql,
    operators.map(({ userId }) => userId),
  );
  return operators.map(({ userId, name }) => ({ name, hasFactor: factors.has(userId) }));
}

function checksOfBackups(config: Config, { owner, allAccountsSql }: Pools, now: Date): Checks {
  if (config.DATABASE_URL !== undefined) {
    return [['the backups', async () => foreignBackup(config, await readArchiving(owner), now)]];
  }
  const data = dataFolderOf(config);
  const folder = () => backupFolderOf(config, data);
  const path = config.BACKUP_KEY_FILE;
  const last = () => lastBackup(allAccountsSql, now);
  return [
    ['the last backup', async () => lastRun(config, await last(), now)],
    ...(path === undefined ? [] : [['the key of backups', () => keyFile(path)] as const]),
    [
      'the newest backup',
      async () => newestBackup(folder(), await readBackupKey(path), await last()),
    ],
    ['the disk of backups', async () => disk('the backups', folder())],
    ['where backups lie', async () => ownDisk(data, folder())],
  ];
}

async function printAll(checks: Checks, print: Call['print']): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const [name, check] of checks) {
    const one = await finding(name, check);
    print(linesOf(one));
    found.push(one);
  }
  return found;
}

/** The checks of a database that answers, or the finding that it does not. */
async function printDatabase(config: Config, print: Call['print']): Promise<Finding[]> {
  const installation = await openInstallation(config, 'doctor').catch((error: unknown) => {
    if (!(error instanceof StartError)) throw error;
    return error;
  });
  if (installation instanceof StartError) {
    return printAll(
      [['the database', () => wrong(installation.message, 'See that it runs, and try again.')]],
      print,
    );
  }
  const { url, allAccountsSql, close } = installation;
  const owner = openDatabase(url, { max: 1, as: 'owner', name: 'doctor' });
  try {
    const found = await printAll(
      checksOfDatabase(config, { owner, allAccountsSql }, new Date()),
      print,
    );
    // A database without an id was reported above.
    const id = config.FILES_URL && (await installationId(allAccountsSql).catch(() => undefined));
    const given = { config, dataFolder: dataFolderOf(config) };
    const store = id === undefined ? id : await openBucket({ ...given, owner: id });
    if (!store) return found;
    const ofFiles = await printAll(checksOfFiles(store, allAccountsSql), print);
    store.close();
    return [...found, ...ofFiles];
  } finally {
    await owner.end({ timeout: 1 });
    await close();
  }
}

export const doctor: Command = {
  usage: 'doctor',
  says: 'looks at everything and says what is wrong here, and what to do; changes nothing',
  run: async ({ config: read, env, print }) => {
    const config = read();
    const found = [
      ...(await printAll(checksOfMachine(config, env), print)),
      ...(await printDatabase(config, print)),
    ];
    const count = (state: Finding['state']) => found.filter((one) => one.state === state).length;
    print(`\n${count('ok')} ok, ${count('warning')} warnings, ${count('wrong')} wrong`);
    return count('wrong') > 0 ? 1 : 0;
  },
};
