import { setTimeout as pause } from 'node:timers/promises';
import { retrying } from '#server/infra/postgres/database.ts';
import type { Random } from './random.ts';
import type { Resources, Kind } from './resources.ts';
import type { Node } from '#tests/chaos/node.ts';
import type { RequestRouter } from './request-router.ts';
import { waitFor } from '#tests/support/wait-for.ts';

export type Fault =
  | 'app killed'
  | 'app killed while starting'
  | 'all apps killed'
  | 'app and database killed'
  | 'backend killed'
  | 'database killed'
  | 'database quit'
  | 'all servers crashed'
  | 'app frozen'
  | 'way to the database slow'
  | 'way to the database silent'
  | 'connections cut'
  | 'connections half closed';

/** Faults of a round, each at least once; the seed decides the order. */
export const faultsOf: Readonly<Record<Kind, readonly Fault[]>> = {
  own: [
    'app killed',
    'app killed',
    'app killed while starting',
    'app and database killed',
    'backend killed',
    'database killed',
    'database quit',
  ],
  apart: [
    'app killed',
    'app killed while starting',
    'all apps killed',
    'backend killed',
    'database killed',
    'database quit',
    'app frozen',
    'way to the database slow',
    'way to the database silent',
    'connections cut',
    'connections half closed',
  ],
  distributed: [
    'app killed',
    'app killed while starting',
    'all apps killed',
    'backend killed',
    'all servers crashed',
    'app frozen',
    'way to the database slow',
    'way to the database silent',
    'connections cut',
    'connections half closed',
  ],
};

export type Injection = { fault: Fault; recoveredMs: number };

export type FaultStats = { injections: Injection[]; appKills: number; met: number };

/**
 * Duration of disturbances in ms: in a short run, and in one of half a minute or more. A freeze outlasts the leases of
 * lanes (15 s), so that another node has taken over before it ends.
 */
const lasting = {
  frozen: { short: [16_500, 17_500], long: [20_000, 30_000] },
  slow: { short: [1_000, 2_000], long: [3_000, 10_000] },
  silent: { short: [2_500, 5_000], long: [5_000, 25_000] },
  halfClosed: { short: [500, 1_500], long: [1_000, 20_000] },
} as const;
const LONG_RUN_MS = 30_000;
/** A statement otherwise takes 1–2 ms. */
const SLOW_MS = 150;

/** A run ends after this many rounds, even if something never happened in it. */
const ROUNDS_MAX = 6;

/** Two runs with eight clients each share the machine, and a dead owner's lease must expire. */
const within = (what: string) => ({ what, patienceMs: 90_000 });

/**
 * Injects each fault at least once, at random moments under load, until the time is up and the run is `complete`, or
 * after `ROUNDS_MAX` rounds. After each fault it waits until the app answers its senders again.
 */
export async function runFaults(
  resources: Resources,
  {
    requestRouter,
    random,
    forMs,
    complete,
  }: {
    requestRouter: RequestRouter;
    random: Random;
    forMs: number;
    complete: (faultStats: FaultStats) => boolean;
  },
): Promise<FaultStats> {
  const faultStats: FaultStats = { injections: [], appKills: 0, met: 0 };
  const began = performance.now();
  const over = (round: number) =>
    performance.now() - began > forMs && (complete(faultStats) || round >= ROUNDS_MAX);
  for (let round = 0; round === 0 || !over(round); round++) {
    for (const fault of random.shuffled(faultsOf[resources.kind])) {
      if (round > 0 && over(round)) break;
      await pause(random.whole(50, 900));
      const recoveredMs = await injectFault(fault, {
        resources,
        requestRouter,
        random,
        faultStats,
        length: forMs >= LONG_RUN_MS ? 'long' : 'short',
      });
      faultStats.injections.push({ fault, recoveredMs });
      await endTtls(resources);
    }
  }
  return faultStats;
}

/** Expires everything with a ttl, also of a dead owner, before another takes it over. */
const endTtls = ({ owner }: Resources) =>
  retrying(
    () => owner`
      update dispatch set expires_at = ${new Date()} where expires_at > ${new Date()}`,
  );

type FaultContext = {
  resources: Resources;
  requestRouter: RequestRouter;
  random: Random;
  faultStats: FaultStats;
  length: 'short' | 'long';
};

async function injectFault(fault: Fault, context: FaultContext): Promise<number> {
  const { resources, random } = context;
  const node = random.pick(resources.nodes);
  const at = performance.now();
  switch (fault) {
    case 'app killed':
      await kill(context, node);
      await node.start();
      return answered(context, at, [node]);
    case 'app killed while starting': {
      await kill(context, node);
      const starting = node.start();
      await Promise.race([starting, pause(random.whole(20, 700))]);
      await kill(context, node);
      await starting;
      const restartedAt = performance.now();
      await node.start();
      return answered(context, restartedAt, [node]);
    }
    case 'all apps killed':
      await Promise.all(resources.nodes.map((one) => kill(context, one)));
      await Promise.all(resources.nodes.map((one) => one.start()));
      return answered(context, at, resources.nodes);
    case 'app and database killed':
      await Promise.all([resources.signalPostmaster('SIGKILL'), kill(context, node)]);
      await node.start();
      return answered(context, at, [node]);
    case 'backend killed':
      await hasEnded(await random.pick(resources.servers).killBackend());
      return answered(context, at, resources.nodes);
    case 'all servers crashed': {
      const pids = await Promise.all(resources.servers.map((server) => server.killBackend()));
      await Promise.all(pids.map(hasEnded));
      return answered(context, at, resources.nodes);
    }
    case 'database killed':
    case 'database quit': {
      const signal = fault === 'database killed' ? 'SIGKILL' : 'SIGQUIT';
      const old = await resources.signalPostmaster(signal);
      await waitFor(
        async () => (await resources.postmaster().catch(() => old)) !== old,
        within('a new database server'),
      );
      return answered(context, at, resources.nodes);
    }
    default:
      return disturb(fault, context, node);
  }
}

type Disturbance = Extract<Fault, `app frozen` | `way ${string}` | `connections ${string}`>;

/** Disturbs one node for a while; measures how soon it answers after the disturbance. */
async function disturb(fault: Disturbance, context: FaultContext, node: Node): Promise<number> {
  const { resources, random, length } = context;
  // The links to a cluster's servers are shared by all nodes.
  const isOfAll = resources.kind === 'distributed';
  const link = isOfAll
    ? random.pick(resources.links)
    : resources.links[resources.nodes.indexOf(node)];
  if (!link) throw new Error(`${node.name} has no way to its database that could be disturbed`);
  const last = (what: keyof typeof lasting) => {
    const [least, most] = lasting[what][length];
    return pause(random.whole(least, most));
  };
  switch (fault) {
    case 'app frozen':
      node.freeze();
      await last('frozen');
      node.thaw();
      break;
    case 'way to the database slow':
      link.delay(random.whole(20, SLOW_MS));
      await last('slow');
      break;
    case 'way to the database silent':
      link.silence();
      await last('silent');
      break;
    case 'connections cut':
      link.cut();
      break;
    case 'connections half closed':
      link.halfClose();
      await last('halfClosed');
  }
  link.heal();
  return answered(context, performance.now(), isOfAll ? resources.nodes : [node]);
}

async function kill({ requestRouter, faultStats }: FaultContext, node: Node): Promise<void> {
  if (requestRouter.underWay(node) > 0) faultStats.met += 1;
  if (await node.kill()) faultStats.appKills += 1;
  else throw new Error(`${node.name} was not there to be killed`);
}

/** Waits until each node has answered a request that began from now on. */
async function answered(
  context: FaultContext,
  at: number,
  nodes: readonly Node[],
): Promise<number> {
  const from = performance.now();
  await Promise.all(
    nodes.map((node) =>
      waitFor(
        () => context.requestRouter.answeredSince(node, from),
        within(`an answer of ${node.name} after a fault`),
      ),
    ),
  );
  return performance.now() - at;
}

const hasEnded = (pid: number) =>
  waitFor(
    () => {
      try {
        process.kill(pid, 0);
        return false;
      } catch {
        return true;
      }
    },
    within(`the end of process ${pid}`),
  );
