import { setTimeout as pause } from 'node:timers/promises';
import { retrying } from '#server/infra/postgres/database.ts';
import type { Dice } from './random.ts';
import type { Resources, Kind } from './resources.ts';
import type { Node } from '#tests/chaos/node.ts';
import type { RequestRouter } from './request-router.ts';
import { until } from '#tests/chaos/waiting.ts';

export type Fault =
  | 'app killed'
  | 'app killed while starting'
  | 'all apps killed'
  | 'app and database killed'
  | 'backend killed'
  | 'database killed'
  | 'database quit';

/** What happens in a round, at least once each; the order is the seed's. */
export const decks: Readonly<Record<Kind, readonly Fault[]>> = {
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
    'app killed',
    'app killed while starting',
    'all apps killed',
    'backend killed',
    'database killed',
    'database quit',
  ],
};

/** One blow, and how long until the app answered again. */
export type Injection = { fault: Fault; recoveredMs: number };

/** Kills of a process of the app, and how many of them met requests under way. */
export type FaultStats = { injections: Injection[]; appKills: number; met: number };

const RECOVERY_MS_MAX = 90_000;

/**
 * Strikes at random moments under load, round after round, until the time is over and every fault has
 * been dealt. After each blow it waits until the app answers again, as its senders see it.
 */
export async function runFaults(
  resources: Resources,
  { requestRouter, dice, forMs }: { requestRouter: RequestRouter; dice: Dice; forMs: number },
): Promise<FaultStats> {
  const faultStats: FaultStats = { injections: [], appKills: 0, met: 0 };
  const began = performance.now();
  const over = () => performance.now() - began > forMs;
  for (let round = 0; round === 0 || !over(); round++) {
    for (const fault of dice.shuffled(decks[resources.kind])) {
      if (round > 0 && over()) break;
      await pause(dice.whole(50, 900));
      const recoveredMs = await strike(fault, { resources, requestRouter, dice, faultStats });
      faultStats.injections.push({ fault, recoveredMs });
      await endTtls(resources);
    }
  }
  return faultStats;
}

/**
 * Ends the time of all that has a ttl: also of what a dead owner was sending, before its lease has passed
 * and another takes it up.
 */
const endTtls = ({ owner }: Resources) =>
  retrying(
    () => owner`
      update dispatch set expires_at = clock_timestamp() where expires_at > clock_timestamp()`,
  );

type Scene = {
  resources: Resources;
  requestRouter: RequestRouter;
  dice: Dice;
  faultStats: FaultStats;
};

async function strike(fault: Fault, scene: Scene): Promise<number> {
  const { resources, dice } = scene;
  const node = dice.pick(resources.nodes);
  const at = performance.now();
  switch (fault) {
    case 'app killed':
      await kill(scene, node);
      await node.start();
      return answered(scene, at, [node]);
    case 'app killed while starting': {
      await kill(scene, node);
      const starting = node.start();
      await Promise.race([starting, pause(dice.whole(20, 700))]);
      await kill(scene, node);
      await starting;
      const again = performance.now();
      await node.start();
      return answered(scene, again, [node]);
    }
    case 'all apps killed':
      await Promise.all(resources.nodes.map((one) => kill(scene, one)));
      await Promise.all(resources.nodes.map((one) => one.start()));
      return answered(scene, at, resources.nodes);
    case 'app and database killed':
      await Promise.all([resources.signalPostmaster('SIGKILL'), kill(scene, node)]);
      await node.start();
      return answered(scene, at, [node]);
    case 'backend killed':
      await goneIs(await resources.killBackend());
      return answered(scene, at, resources.nodes);
    case 'database killed':
    case 'database quit': {
      const signal = fault === 'database killed' ? 'SIGKILL' : 'SIGQUIT';
      const old = await resources.signalPostmaster(signal);
      await until('a new database server', RECOVERY_MS_MAX, async () => {
        const now = await resources.postmaster().catch(() => old);
        return now === old ? undefined : now;
      });
      return answered(scene, at, resources.nodes);
    }
  }
}

async function kill({ requestRouter, faultStats }: Scene, node: Node): Promise<void> {
  if (requestRouter.underWay(node) > 0) faultStats.met += 1;
  if (await node.kill()) faultStats.appKills += 1;
  else throw new Error(`${node.name} was not there to be killed`);
}

/** Waits until each of the nodes has answered a request that began from now on. */
async function answered(scene: Scene, at: number, nodes: readonly Node[]): Promise<number> {
  const from = performance.now();
  await Promise.all(
    nodes.map((node) =>
      until(`an answer of ${node.name} after a blow`, RECOVERY_MS_MAX, () =>
        scene.requestRouter.answeredSince(node, from) ? true : undefined,
      ),
    ),
  );
  return performance.now() - at;
}

const goneIs = (pid: number) =>
  until(`the end of process ${pid}`, RECOVERY_MS_MAX, () => {
    try {
      process.kill(pid, 0);
      return undefined;
    } catch {
      return true;
    }
  });
