import type { Channel, Inbound, Sinks } from '#server/domains/channels/channels.ts';
import {
  type PresenceDeps,
  connectNumber,
  partNumber,
  extendSpans,
  isParted,
  endIdlePauses,
  readPause,
  type HealthRecorder,
} from '#server/domains/channels/health.ts';
import type { Media } from '#server/domains/media/media.ts';
import type { ActHandler } from '#server/infra/acts.ts';
import type { Config } from '#server/infra/config.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import type { Secrets } from '#server/infra/security/secrets.ts';
import { type CloudCallbacks, openCallbacks } from './callbacks/callbacks.ts';
import { openInboundFiles } from './callbacks/files.ts';
import { type CloudConnecting, connectActs, openConnecting, confirm } from './connect.ts';
import { openGraph, type Graph } from './graph.ts';
import { downloadFile } from './media.ts';
import {
  type CloudNumber,
  numberOf,
  type NumbersDeps,
  allNumbers,
  forgetNumbers,
} from './numbers.ts';
import { NUMBER_RATE, PAIR_RATE, openPace } from './pace.ts';
import { openPauses } from './pauses.ts';
import { openRefs, pruneCloud } from './refs.ts';
import { openRests } from './rests.ts';
import { sendByCloud } from './send.ts';
import { type CloudTemplates, openCloudTemplates } from './templates.ts';
import { beginIn, withEachAccount } from '#server/infra/postgres/distribution/scope.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { isAccess } from './codes.ts';

export { sealedNumbers } from './numbers.ts';

export type CloudDeps = PresenceDeps & {
  /** The portal's pool: one account at a time. */
  sql: Sql;
  allAccountsSql: Sql;
  secrets: Secrets;
  config: Pick<Config, 'CLOUD_URL' | 'CLOUD_TIMEOUT_MS'>;
  media: Pick<Media, 'files' | 'library'>;
  health: HealthRecorder;
  /** Who takes what callbacks bring. */
  sinks: Sinks;
  /** Where the address of callbacks begins. */
  origin: string;
  /** Gives a message that was stored without its file what is known of it now. */
  completeInbound: (inbound: Inbound) => Promise<void>;
  /** The templates of an account are not what they were at Meta. */
  onTemplates: (accountId: string) => Promise<void>;
  /** The tokens of messages, of those that there are. */
  tokensOfMessages: (
    messages: readonly { accountId: string; messageId: string }[],
  ) => Promise<ReadonlyMap<string, string>>;
  report: (error: unknown) => void;
};

/** The WhatsApp Cloud API of Meta as a channel. */
export type Cloud = CloudConnecting & {
  channel: Channel;
  acts: readonly ActHandler[];
  callbacks: CloudCallbacks;
  templates: CloudTemplates;
  /** Sees to every number, each minute. */
  check: () => Promise<void>;
  /** Waits for the files that this process is fetching. */
  filesFetched: () => Promise<void>;
  /** Reads the templates of every account anew, each hour. */
  readTemplates: () => Promise<void>;
  /** Forgets what is of no use any more. */
  prune: () => Promise<void>;
};

/**
 * Opens the channel. It sends from any process, and callbacks come to any: nothing is kept in one but how fast a
 * number sends.
 *
 * Meta knows no id beforehand: a try without an answer is unknown until a status echoes our own id, or twice the
 * time-out has passed (docs/decisions/053-cloud-channel.md).
 */
export function openCloud(deps: CloudDeps): Cloud {
  const { allAccountsSql, config, report, now } = deps;
  const { files, library } = deps.media;
  const graph = openGraph({ config });
  const refs = openRefs(deps);
  const pace = { number: openPace(NUMBER_RATE), pair: openPace(PAIR_RATE) };
  const readNumber = (token: { accountId: string; tokenId: string }) => numberOf(deps, token);
  const pauses = openPauses({ ...deps, graph, numberOf: readNumber });
  const rests = openRests((accountId) => void deps.onTemplates(accountId).catch(report));
  const sending = { ...deps, graph, files, refs, pace, pauses, rests, numberOf: readNumber };
  const inboundFiles = openInboundFiles({
    ...deps,
    library,
    numberOf: readNumber,
    download: (number, mediaId) => downloadFile({ graph }, number, mediaId),
  });
  const onTemplates = ({ accountId }: Pick<CloudNumber, 'accountId'>) => {
    rests.end(accountId);
    return deps.onTemplates(accountId);
  };
  const connecting = openConnecting({
    ...deps,
    graph,
    onConnected: (number) => void onTemplates(number).catch(report),
  });
  return {
    ...connecting,
    channel: {
      name: 'cloud',
      preallocates: false,
      timeoutMs: config.CLOUD_TIMEOUT_MS,
      pauses,
      send: (message, signal) => sendByCloud(sending, message, signal),
      // Callbacks come to whatever process answers requests, also to one without a worker.
      start: async () => undefined,
      close: async () => undefined,
    },
    acts: connectActs(deps, connecting),
    callbacks: openCallbacks({
      ...deps,
      refs,
      files: inboundFiles,
      onTemplates,
    }),
    templates: openCloudTemplates({ ...deps, graph }),
    check: async () => {
      await checkNumbers({ ...deps, graph });
      await inboundFiles.fetchDue();
    },
    filesFetched: () => inboundFiles.close(),
    readTemplates: () => readAllTemplates(deps),
    prune: () => pruneCloud(allAccountsSql, now()),
  };
}

type CheckDeps = NumbersDeps & PresenceDeps & { graph: Graph; report: (error: unknown) => void };

const AT_ONCE = 8;

/**
 * Asks Meta for every number, each minute: what answers is connected, and was since the last time; one whose
 * access Meta refuses here is parted, and comes back by itself when it no longer is.
 */
async function checkNumbers(deps: CheckDeps): Promise<void> {
  await forgetNumbers(deps.allAccountsSql);
  const numbers = await allNumbers(deps);
  const alive: CloudNumber[] = [];
  for (let from = 0; from < numbers.length; from += AT_ONCE) {
    const some = numbers.slice(from, from + AT_ONCE);
    const states = await Promise.all(some.map((number) => stateOf(deps, number)));
    alive.push(...some.filter((_, index) => states[index] === 'alive'));
  }
  await withEachAccount(alive, async (own) => {
    await extendSpans(deps.allAccountsSql, own, deps.now());
    await endIdlePauses(deps.allAccountsSql, deps, own);
  });
}

async function stateOf(
  deps: CheckDeps,
  number: CloudNumber,
): Promise<'alive' | 'parted' | 'unreached'> {
  const ref = { accountId: number.accountId, tokenId: number.tokenId, channel: 'cloud' } as const;
  try {
    const { name, quality } = await confirm(deps.graph, number);
    await noteCheck(deps, number, { name, quality, failure: undefined });
    if (!(await isParted(deps.allAccountsSql, ref))) return 'alive';
    // One that was disconnected for a refused message, which this does not ask for, is tried again after its pause.
    const pauseMs = (await readPause(deps.allAccountsSql, ref, deps.now())) ?? 0;
    if (pauseMs > 0) return 'parted';
    await beginIn(deps.allAccountsSql, ref.accountId, (tx) => connectNumber(tx, deps, ref));
    return 'alive';
  } catch (error) {
    if (!(error instanceof Refusal)) deps.report(error);
    if (!(error instanceof Refusal) || error.code !== 'cloud_refused') return 'unreached';
    const { code } = error.facts as { code: number };
    await noteCheck(deps, number, { failure: String(code) });
    if (!isAccess(code)) return 'unreached';
    await beginIn(deps.allAccountsSql, ref.accountId, (tx) => partNumber(tx, deps, ref, 'access'));
    return 'parted';
  }
}

/**
 * Reads the templates of every account anew: one of which Meta does not tell us, for want of a webhook, costs what
 * its new category does all the same.
 */
async function readAllTemplates(
  deps: NumbersDeps & {
    onTemplates: (accountId: string) => Promise<void>;
    report: (error: unknown) => void;
  },
): Promise<void> {
  const accounts = new Set((await allNumbers(deps)).map(({ accountId }) => accountId));
  for (const accountId of accounts) {
    await deps.onTemplates(accountId).catch((error: unknown) => {
      if (!(error instanceof Refusal)) deps.report(error);
    });
  }
}

type Check = {
  name?: string | undefined;
  quality?: string | undefined;
  failure: string | undefined;
};

async function noteCheck(
  { allAccountsSql, now }: CheckDeps,
  { accountId, tokenId }: CloudNumber,
  { name, quality, failure }: Check,
): Promise<void> {
  await allAccountsSql`
    update cloud_numbers n set
      checked_at = ${now()}, check_failure = ${failure ?? null},
      verified_name = coalesce(${name ?? null}, n.verified_name),
      quality = coalesce(${quality ?? null}, n.quality)
    where n.account_id = ${accountId} and n.token_id = ${tokenId}`;
}
