import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { openHttp, openHealthServer } from './app/http.ts';
import { openFirstPassword } from './app/first-password.ts';
import { type Container, openContainer } from './app/container.ts';
import { RELEASE } from './app/infra.ts';
import { type Worker, startWorker } from './app/worker.ts';
import { listenOn, tryPort } from './http/connections.ts';
import { readWebApp } from './http/site.ts';
import { type Config, misspeltSettings, readConfig } from './infra/config.ts';
import { withTargetSession } from './infra/postgres/address.ts';
import { checkDatabase, waitForDatabase } from './infra/postgres/check.ts';
import { passPooler } from './infra/postgres/pooler.ts';
import { isDatabaseFailure, openDatabase } from './infra/postgres/database.ts';
import { ConnectionLost, isServerError } from './infra/postgres/driver/errors.ts';
import { diskFullSentence, isDiskFull, refuseFullDisk } from './infra/observability/disk.ts';
import { defaultDataFolder } from './infra/embedded-postgres/home.ts';
import { type Embedded, startEmbedded } from './infra/embedded-postgres/embedded.ts';
import { type Log, openLog } from './infra/observability/log.ts';
import { followSchema, requireServers } from './infra/postgres/distribution/layout/upkeep.ts';
import { updateSchema } from './infra/postgres/functions.ts';
import { StartError } from './infra/start-error.ts';
import { pollAtFullRate } from '#server/infra/polling.ts';
import { withTimeout } from './infra/with-timeout.ts';

type Running = {
  starting: boolean;
  open: boolean;
  /** Time to keep serving after SIGTERM, in milliseconds. */
  drainMs: number;
  closing: AbortController;
  embedded?: Embedded;
  container?: Container;
  worker?: Worker;
  app?: FastifyInstance;
  /** Serves health on a separate port until everything else has ended. */
  health?: FastifyInstance | undefined;
  healthPort?: number;
  closeHttp?: () => void;
};

const HTTP_MS_MAX = 10_000;
const CLOSING_MS_MAX = 30_000;
const root = join(import.meta.dirname, '../..');

/** Starts in this order: config → database → domains → work → http. */
async function start(config: Config, log: Log, running: Running): Promise<number> {
  const dataFolder = config.KABARI_DATA ?? defaultDataFolder();
  // Checked first: a port in use is found within a second, not after the database has started.
  for (const one of portsOf(config)) await requireFreePort(one);
  if (config.DATABASE_URL !== undefined) await refuseFullDisk(resolve(dataFolder));
  const webApp = readWebApp(join(root, 'dist'));
  const address =
    config.DATABASE_URL === undefined
      ? await ownDatabase(dataFolder, log, running)
      : withTargetSession(config.DATABASE_URL, 'read-write');
  const untilReachable = waitForDatabase({ log, signal: running.closing.signal });
  const url = await untilReachable(() => prepareDatabase(address, config, log));
  const { build } = await webApp;
  requireOpen(running);
  const first = openFirstPassword(resolve(dataFolder), process.stdout.isTTY);
  const { deliverPassword } = first;
  const given = { config, log, url, dataFolder, build, deliverPassword, untilReachable };
  const container = await openContainer(given);
  running.container = container;
  // Printed at once: if the rest of the start failed, the password would be lost.
  process.stdout.write(first.lines(container.accounts.newOperator));
  first
    .forgetOnceUsed(container.pools.allAccountsSql, running.closing.signal)
    .catch(() => undefined);
  requireOpen(running);
  if (config.ROLE === 'worker') pollAtFullRate();
  if (config.ROLE !== 'web') running.worker = await startWorker(container);
  requireOpen(running);
  if (config.ROLE === 'worker') {
    running.app = openHealthServer(container, running.worker, () => running.open);
    return listen(running.app, healthPortOf(config));
  }
  const http = openHttp(container, {
    webApp: await webApp,
    worker: running.worker,
    open: () => running.open,
    delayMsMax: config.BUSY_DELAY_MS,
  });
  running.app = http.app;
  running.health = http.health;
  running.closeHttp = http.closeStreams;
  if (http.health) running.healthPort = await listen(http.health, healthPortOf(config));
  return listen(http.app, { host: config.HOST, port: config.PORT, setting: 'PORT' });
}

/** Checks and migrates the database. @returns the address to use from now on. */
async function prepareDatabase(address: string, config: Config, log: Log): Promise<string> {
  const url = await passPooler(address);
  const owner = openDatabase(url, { max: 1, as: 'owner', name: 'migrations' });
  try {
    await checkDatabase(owner, config);
    await requireServers(owner, url);
    const changed = await updateSchema(owner, import.meta.dirname, RELEASE);
    const { migrations, functions, newer } = changed;
    if (newer !== undefined) {
      log.warn(
        { version: newer },
        'a newer version works on this database, and its functions stay',
      );
    }
    if (migrations.length + functions.length > 0) {
      const changes = { migrations: migrations.length, functions: functions.length };
      log.info(changes, 'the database was migrated');
    }
    await followSchema(owner, url);
  } finally {
    await owner.end({ timeout: 5 });
  }
  return url;
}

async function ownDatabase(dataFolder: string, log: Log, running: Running): Promise<string> {
  const onDeath = () => log.error('the database stopped and is being restarted');
  running.embedded = await startEmbedded({ dataFolder, onDeath });
  return running.embedded.url;
}

type Listening = {
  host: string;
  port: number;
  setting: 'PORT' | 'HEALTH_PORT';
  sockets?: number;
};

const healthPortOf = ({ HOST, HEALTH_PORT = 0 }: Config): Listening => ({
  host: HOST,
  port: HEALTH_PORT,
  setting: 'HEALTH_PORT',
  sockets: 1,
});

const portsOf = (config: Config): Listening[] => [
  ...(config.ROLE === 'worker'
    ? []
    : [{ host: config.HOST, port: config.PORT, setting: 'PORT' } as const]),
  ...(config.HEALTH_PORT === undefined ? [] : [healthPortOf(config)]),
];

/** @throws StartError when the port is unavailable. @returns the port that was opened. */
async function listen(app: FastifyInstance, address: Listening): Promise<number> {
  try {
    return await listenOn(app, address);
  } catch (error) {
    throw portError(error, address);
  }
}

/** Opens the port for a moment. @throws StartError when it is unavailable. */
async function requireFreePort(address: Listening): Promise<void> {
  try {
    await tryPort({ host: address.host, port: address.port });
  } catch (error) {
    throw portError(error, address);
  }
}

function portError(error: unknown, { host, port, setting }: Listening): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return new StartError(
      `Port ${port} is taken by another program; stop it, or choose another with ${setting}=${port + 1} npm start.`,
    );
  }
  if (code === 'EACCES') {
    return new StartError(
      `Port ${port} may not be used by this user; choose one above 1023 with ${setting}.`,
    );
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new StartError(`HOST ${host} is no address of this machine; use 127.0.0.1 or 0.0.0.0.`);
  }
  return error;
}

/**
 * Closes in reverse: no new work; requests in flight finish (10 s); jobs and lanes finish and are released; then the
 * pools and the database close. SIGKILL at any moment is as safe, but makes the next start slower.
 *
 * @param drainMs how long requests are still served first; the work ends meanwhile.
 */
async function close(running: Running, drainMs = 0): Promise<void> {
  running.open = false;
  running.closing.abort();
  const { app, health, worker, container, embedded } = running;
  const closeHttp = async () => {
    // Until the load balancer sees the failing readiness, it still sends requests and reconnecting streams here.
    if (running.closeHttp) await pause(drainMs);
    // A process without endpoints reports health until its work has ended.
    else await worker?.close();
    running.closeHttp?.();
    if (app) await withTimeout<void>(app.close(), HTTP_MS_MAX, ignore);
  };
  await Promise.all([closeHttp(), running.closeHttp && worker?.close()]);
  if (health) await withTimeout<void>(health.close(), HTTP_MS_MAX, ignore);
  await container?.close();
  await embedded?.stop();
}

const ignore = () => undefined;

function greeting({ infra: { config } }: Container, port: number): string {
  const address = config.PUBLIC_URL ?? `http://localhost:${port}`;
  const lines = [`Kabari runs: ${address}`];
  if (config.SIMULATOR) lines.push(`  simulated phones  ${address}/simulator`);
  lines.push(`  operator          ${address}/operator`);
  if (!config.production) {
    lines.push(
      '',
      'Register, add a token, link it to a simulated phone, then try with its key:',
      '  export KEY=kbr_test_…',
      `  curl ${address}/v1/balance -H "Authorization: Bearer $KEY"`,
      `  curl ${address}/v1/messages -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\`,
      `    -d '{"to":"62800000001","text":{"body":"Halo dari Kabari"}}'`,
    );
  }
  return `${lines.join('\n')}\n\n`;
}

/** Signals close the application; a second one, or half a minute, ends the process at once. */
function closeOnSignal(running: Running, log: Log): void {
  let closing = false;
  const stop = (signal: string) => {
    if (closing) process.exit(1);
    closing = true;
    // Ctrl+C and closing the terminal skip the drain: a person waits, and no load balancer is involved.
    const drainMs = signal === 'SIGTERM' ? running.drainMs : 0;
    log.info({ signal, ms: drainMs }, 'closing');
    setTimeout(() => process.exit(1), drainMs + CLOSING_MS_MAX).unref();
    if (running.starting) {
      // The start stops at its next step and closes what it opened: a half-started database cannot be stopped here.
      running.open = false;
      running.closing.abort();
      return;
    }
    close(running, drainMs).then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'closing failed');
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => stop(signal));
}

/** Logs an uncaught exception and ends the process, whose state is then unknown. */
function endOnBug(log: Log): void {
  const end = (error: unknown) => {
    log.fatal({ err: error }, 'a bug ended the process');
    process.exit(1);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}

async function main(): Promise<void> {
  const running: Running = {
    starting: true,
    open: true,
    drainMs: 0,
    closing: new AbortController(),
  };
  try {
    const config = readConfig(process.env);
    running.drainMs = config.DRAIN_SECONDS * 1_000;
    const log = openLog({ level: config.LOG_LEVEL });
    endOnBug(log);
    closeOnSignal(running, log);
    for (const { given, meant } of misspeltSettings(process.env)) {
      log.warn({ given, meant }, 'a variable is ignored: it resembles a setting');
    }
    const port = await start(config, log, running);
    requireOpen(running);
    running.starting = false;
    if (running.container && config.ROLE !== 'worker') {
      process.stdout.write(greeting(running.container, port));
    }
    const health = running.healthPort;
    log.info(
      { role: config.ROLE, port, ...(health !== undefined && { health }) },
      'the application is open',
    );
  } catch (error) {
    const wasStopped = !running.open;
    await withTimeout(close(running), CLOSING_MS_MAX, ignore).catch(ignore);
    if (wasStopped) {
      process.stderr.write('Stopped before the start was complete; the next start continues.\n');
      process.exit(0);
    }
    process.stderr.write(`${await sentenceOf(error)}\n`);
    process.exit(1);
  }
}

function requireOpen({ open }: Running): void {
  if (!open) throw new StartError('A signal stopped the start.');
}

/** One sentence for errors that the person starting it can fix; a stack trace for bugs. */
async function sentenceOf(error: unknown): Promise<string> {
  if (isDiskFull(error)) {
    return diskFullSentence(error, resolve(process.env['KABARI_DATA'] || defaultDataFolder()));
  }
  if (error instanceof StartError) return error.message;
  if (error instanceof ConnectionLost || (isServerError(error) && isDatabaseFailure(error))) {
    return `The database refused a step of the start (${error.code}: ${error.message}); look at its log, then start again.`;
  }
  return stackOf(error);
}

const stackOf = (error: unknown): string =>
  `Kabari could not start because of a bug: ${error instanceof Error ? error.stack : String(error)}`;

await main();
