import type { Channel, Inbound, Sinks } from '#server/domains/channels/channels.ts';
import type { PresenceDeps } from '#server/domains/channels/health/presence.ts';
import type { HealthRecorder } from '#server/domains/channels/health/recorder.ts';
import type { Media } from '#server/domains/media/media.ts';
import type { ActHandler } from '#server/infra/acts/act.ts';
import type { Config } from '#server/infra/config.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import type { Secrets } from '#server/infra/security/secrets.ts';
import { type CloudCallbacks, openCallbacks } from './callbacks/callbacks.ts';
import { openInboundFiles } from './callbacks/files.ts';
import { checkNumbers, readAllTemplates } from './checks.ts';
import { type CloudConnecting, connectActs, openConnecting } from './connect.ts';
import { openGraph } from './graph.ts';
import { downloadFile } from './media.ts';
import { type CloudNumber, numberOf } from './numbers.ts';
import { NUMBER_RATE, PAIR_RATE, openPace } from './pace.ts';
import { openPauses } from './pauses.ts';
import { openRefs, pruneCloud } from './refs.ts';
import { openRests } from './rests.ts';
import { sendByCloud } from './send.ts';
import { type CloudTemplates, openCloudTemplates } from './templates/templates.ts';

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
