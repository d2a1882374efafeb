import * as customers from '#contract/operator/customers.ts';
import { operatorOverview, type OperatorOverview } from '#contract/operator/overview.ts';
import * as things from '#contract/operator/customers.ts';
import { type ActHandler, handle, type Person } from '#server/infra/acts.ts';
import {
  endPlan,
  endSessions,
  suspendCustomer,
  customerInvoice,
  customerMessage,
  customerToken,
  customerTopup,
  discloseText,
} from './customers.ts';
import type { ConsoleDeps } from './deps.ts';
import { countPauses } from '#server/domains/channels/channels.ts';
import { countSetAside, outboxLagSeconds } from '#server/domains/events/events.ts';
import { trafficFigures } from '#server/domains/messages/messages.ts';
import { countGatewayWork } from '#server/domains/payments/payments.ts';
import { lastBackup } from '#server/infra/backup/runs.ts';
import { failedJobs, readJobRuns } from '#server/infra/jobs.ts';
import { freeBytes } from '#server/infra/observability/disk.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { databaseFigures } from '#server/infra/observability/database-figures.ts';
import { liveDefinitions, waitingChanges } from '#server/infra/settings/live.ts';

export function consoleActs(deps: ConsoleDeps): readonly ActHandler[] {
  const overview = openOverview(deps);
  return [
    handle(operatorOverview, ({ caller }) => overview(caller)),
    handle(customers.suspendCustomer, ({ caller }, { account_id, becomes, reason }) =>
      suspendCustomer(deps, {
        accountId: account_id,
        becomes,
        reason,
        operatorId: caller.userId,
      }),
    ),
    handle(customers.endCustomerSessions, (_, { account_id, session_id }) =>
      endSessions(deps, { accountId: account_id, sessionId: session_id }),
    ),
    handle(customers.endCustomerPlan, ({ caller }, { account_id, refund, reason }) =>
      endPlan(deps, {
        accountId: account_id,
        refund: refund === 'yes',
        reason,
        operatorId: caller.userId,
      }),
    ),
    handle(things.getCustomerMessage, (_, { account_id, message_id }) =>
      customerMessage(deps, { accountId: account_id, messageId: message_id }),
    ),
    handle(things.readCustomerMessage, ({ caller }, { account_id, message_id, reason }) =>
      discloseText(deps, {
        accountId: account_id,
        messageId: message_id,
        operatorId: caller.userId,
        reason,
      }),
    ),
    handle(things.getCustomerToken, (_, { account_id, token_id }) =>
      customerToken(deps, { accountId: account_id, tokenId: token_id }),
    ),
    handle(things.getCustomerTopup, (_, { account_id, topup_id }) =>
      customerTopup(deps, { accountId: account_id, topupId: topup_id }),
    ),
    handle(things.getCustomerInvoice, (_, { account_id, invoice_id }) =>
      customerInvoice(deps, { accountId: account_id, invoiceId: invoice_id }),
    ),
  ];
}

export type Overview = (caller: Pick<Person, 'operatorRoles'>) => Promise<OperatorOverview>;

/** Cache lifetime of figures that change with every message, shared by all operators. */
const FAST_FIGURES_MS = 1_000;
const SLOW_FIGURES_MS = 10_000;

export function openOverview(deps: ConsoleDeps): Overview {
  const { allAccountsSql: sql, now, clockMs = () => performance.now() } = deps;
  const traffic = cached(FAST_FIGURES_MS, clockMs, () => trafficFigures(sql, now()));
  const events = cached(FAST_FIGURES_MS, clockMs, async () => {
    const [[lag], [aside]] = await Promise.all([outboxLagSeconds(sql), countSetAside(sql)]);
    return { lag_seconds: lag?.value ?? 0, set_aside: aside?.value ?? 0 };
  });
  const slow = cached(SLOW_FIGURES_MS, clockMs, () => slowFigures(deps));
  const support = cached(FAST_FIGURES_MS, clockMs, () => deps.supportFigures(sql));
  const settings = cached(FAST_FIGURES_MS, clockMs, () => waitingSettings(sql));

  return async ({ operatorRoles }) => {
    const answers = operatorRoles.some((role) => role === 'admin' || role === 'support');
    const [going, { nodes, ...rest }, outbox, threads, changes] = await Promise.all([
      traffic(),
      slow(),
      events(),
      answers ? support() : null,
      operatorRoles.includes('admin') ? settings() : null,
    ]);
    return {
      at: now(),
      ...going,
      events: outbox,
      ...rest,
      disk: { ...rest.disk, full: [...deps.disks.full()] },
      app: {
        version: deps.version,
        build: deps.build,
        uptime_seconds: Math.round(process.uptime()),
        nodes,
      },
      support: threads,
      settings_waiting: changes,
    };
  };
}

async function waitingSettings(sql: Sql): Promise<OperatorOverview['settings_waiting']> {
  const waiting = await waitingChanges(sql);
  return waiting.map(({ name, effective_at }) => ({
    label: liveDefinitions.get(name)?.live.label ?? name,
    effective_at,
  }));
}

async function slowFigures(deps: ConsoleDeps) {
  const { allAccountsSql: sql, codesGoOut, dataFolder } = deps;
  const [{ nodes, ...database }, jobs, runs, work, codes, free, backup, pauses] = await Promise.all(
    [
      databaseFigures(sql),
      failedJobs(sql),
      readJobRuns(sql),
      countGatewayWork({ allAccountsSql: sql }),
      codesGoOut(sql),
      freeBytes(dataFolder).catch(() => Infinity),
      lastBackup(sql),
      countPauses(sql),
    ],
  );
  return {
    nodes,
    database,
    jobs,
    jobs_late: runs.filter(({ is_late }) => is_late).map(({ name }) => name),
    pauses,
    dead_notices: work.find(({ labels }) => labels.state === 'dead')?.value ?? 0,
    codes_go_out: codes,
    disk: { free_bytes: Number.isFinite(free) ? free : null, full: [] as string[] },
    backup: backup
      ? {
          at: backup.at,
          is_ok: backup.isOk,
          bytes: backup.bytes ?? null,
          path: backup.path ?? null,
          error: backup.error ?? null,
        }
      : null,
  };
}

/** Caches the result of `read` for `ms`; concurrent callers share one read. Failures are not cached. */
function cached<T>(ms: number, clockMs: () => number, read: () => Promise<T>): () => Promise<T> {
  let entry: { readAtMs: number; value: Promise<T> } | undefined;
  return () => {
    if (entry && clockMs() - entry.readAtMs < ms) return entry.value;
    const next = { readAtMs: clockMs(), value: read() };
    entry = next;
    next.value.catch(() => {
      if (entry === next) entry = undefined;
    });
    return next.value;
  };
}
