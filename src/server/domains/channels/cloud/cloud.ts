import type {
  Channel,
  Inbound,
  Sinks,
  NetworkTemplate,
  TemplateButtonKind,
} from '#server/domains/channels/channels.ts';
import {
  type PresenceDeps,
  connectNumber,
  disconnectNumber,
  extendSpans,
  isDisconnected,
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
import { openGraph, type Graph, askOrRefuse, pagesOf } from './graph.ts';
import { downloadFile } from './media.ts';
import {
  type CloudNumber,
  numberOf,
  type NumbersDeps,
  allNumbers,
  forgetNumbers,
  numbersOfAccount,
} from './numbers.ts';
import { NUMBER_RATE, PAIR_RATE, openPace } from './pace.ts';
import { openPauses } from './pauses.ts';
import { openRefs, pruneCloud } from './refs.ts';
import { openRests } from './rests.ts';
import { sendByCloud } from './send.ts';
import { beginIn, withEachAccount } from '#server/infra/postgres/distribution/scope.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { isAccess } from './codes.ts';
import {
  type TemplateCategory,
  type TemplateStatus,
  variablesOf,
  type TemplateFile,
  type NewTemplate,
} from '#contract/messages/templates.ts';
import { given, listAt, textAt } from '#server/infra/net/json-values.ts';

export { sealedNumbers } from './numbers.ts';

export type CloudDeps = PresenceDeps & {
  sql: Sql;
  allAccountsSql: Sql;
  secrets: Secrets;
  config: Pick<Config, 'CLOUD_URL' | 'CLOUD_TIMEOUT_MS'>;
  media: Pick<Media, 'files' | 'library'>;
  health: HealthRecorder;
  sinks: Sinks;
  origin: string;
  completeInbound: (inbound: Inbound) => Promise<void>;
  onTemplates: (accountId: string) => Promise<void>;
  tokensOfMessages: (
    messages: readonly { accountId: string; messageId: string }[],
  ) => Promise<ReadonlyMap<string, string>>;
  report: (error: unknown) => void;
};

export type Cloud = CloudConnecting & {
  channel: Channel;
  acts: readonly ActHandler[];
  callbacks: CloudCallbacks;
  templates: CloudTemplates;
  check: () => Promise<void>;
  filesFetched: () => Promise<void>;
  readTemplates: () => Promise<void>;
  prune: () => Promise<void>;
};

/**
 * Opens the channel. Any process sends, and any receives callbacks; a process holds no state but the pace of its
 * numbers.
 *
 * Meta has no id beforehand: a try without an answer is unknown until a status echoes our own id, or until twice the
 * timeout has passed (docs/decisions/007-simulator-and-cloud-api.md).
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
      // Callbacks reach any process that answers requests, even one without a worker.
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

const AT_ONCE = 8;

/**
 * Checks every number with Meta, each minute: one that answers is connected, and was since the last check; one whose
 * access Meta refuses is disconnected until Meta accepts it.
 */
async function checkNumbers(deps: CloudDeps & { graph: Graph }): Promise<void> {
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
  deps: CloudDeps & { graph: Graph },
  number: CloudNumber,
): Promise<'alive' | 'parted' | 'unreached'> {
  const ref = { accountId: number.accountId, tokenId: number.tokenId, channel: 'cloud' } as const;
  try {
    const { name, quality } = await confirm(deps.graph, number);
    await noteCheck(deps, number, { name, quality, failure: undefined });
    if (!(await isDisconnected(deps.allAccountsSql, ref))) return 'alive';
    // Disconnected by a refused message, which this check does not send: retry after its pause.
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
    await beginIn(deps.allAccountsSql, ref.accountId, (tx) =>
      disconnectNumber(tx, deps, ref, 'access'),
    );
    return 'parted';
  }
}

/** Reads the templates again: without a webhook Meta reports no new category, but charges it. */
async function readAllTemplates(deps: CloudDeps): Promise<void> {
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
  { allAccountsSql, now }: CloudDeps,
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

type CloudTemplates = {
  reviews(accountId: string): Promise<boolean>;
  /** All templates. @throws Refusal `cloud_refused`, `cloud_unreachable` */
  list(accountId: string): Promise<NetworkTemplate[]>;
  /** Submits a template for review in every business account. @throws Refusal, as `list` does */
  submit(accountId: string, template: NewTemplate): Promise<void>;
  /** Deletes a template in all its languages. @throws Refusal, as `list` does */
  remove(accountId: string, name: string): Promise<void>;
};

type BusinessAccount = { wabaId: string; accessToken: string; tokenIds: readonly string[] };

function openCloudTemplates(deps: NumbersDeps & { graph: Graph }): CloudTemplates {
  const { graph } = deps;
  const accountsOf = async (accountId: string): Promise<BusinessAccount[]> => {
    const numbers = await numbersOfAccount(deps, accountId);
    const byId = Map.groupBy(numbers, ({ wabaId }) => wabaId);
    return [...byId].flatMap(([wabaId, [number, ...others]]) =>
      number
        ? {
            wabaId,
            accessToken: number.accessToken,
            tokenIds: [number, ...others].map(({ tokenId }) => tokenId),
          }
        : [],
    );
  };
  return {
    reviews: async (accountId) => (await numbersOfAccount(deps, accountId)).length > 0,
    async list(accountId) {
      const all: NetworkTemplate[] = [];
      for (const one of await accountsOf(accountId)) all.push(...(await listAll(graph, one)));
      return all;
    },
    async submit(accountId, template) {
      for (const { accessToken, wabaId } of await accountsOf(accountId)) {
        const path = `${wabaId}/message_templates`;
        const body = submissionOf(template);
        await askOrRefuse(graph, { accessToken, method: 'POST', path, body });
      }
    },
    async remove(accountId, name) {
      for (const { accessToken, wabaId } of await accountsOf(accountId)) {
        const path = `${wabaId}/message_templates?name=${encodeURIComponent(name)}`;
        await askOrRefuse(graph, { accessToken, method: 'DELETE', path }).catch(isGone);
      }
    },
  };
}

/** A template that Meta does not have is deleted already. */
function isGone(error: unknown): void {
  if (error instanceof Refusal && error.code === 'cloud_refused') {
    const { code } = error.facts as { code: number };
    if (code === 100 || code === 132001) return;
  }
  throw error;
}

async function listAll(
  graph: Graph,
  { accessToken, wabaId, tokenIds }: BusinessAccount,
): Promise<NetworkTemplate[]> {
  const fields = 'id,name,language,status,category,components,rejected_reason';
  const path = `${wabaId}/message_templates?limit=100&fields=${fields}`;
  const all: NetworkTemplate[] = [];
  for await (const page of pagesOf(graph, { accessToken, path }))
    all.push(...page.flatMap((one) => templateFrom(tokenIds, one) ?? []));
  return all;
}

const categories: ReadonlyMap<string, TemplateCategory> = new Map([
  ['MARKETING', 'marketing'],
  ['UTILITY', 'utility'],
  ['AUTHENTICATION', 'authentication'],
]);

const NAME_MAX = 512;

function templateFrom(tokenIds: readonly string[], one: unknown): NetworkTemplate | undefined {
  const name = textAt(one, 'name');
  const language = textAt(one, 'language');
  const category = categories.get(textAt(one, 'category') ?? '');
  const parts = listAt(one, 'components');
  const part = (type: string) => partOf(parts, type);
  const body = textAt(part('BODY'), 'text');
  if (name === undefined || language === undefined || !category || body === undefined)
    return undefined;
  if (name.length + language.length > NAME_MAX) return undefined;
  const ofCodes = category === 'authentication';
  const unfit = ofCodes ? undefined : unfitReason(parts);
  const buttons = listAt(part('BUTTONS'), 'buttons');
  const rejectedReason = textAt(one, 'rejected_reason');
  const { status, reason } = statusFrom(textAt(one, 'status') ?? '', rejectedReason);
  return {
    tokenIds,
    networkId: textAt(one, 'id') ?? '',
    name,
    language,
    category,
    isLive: status === 'approved',
    status: status === 'approved' && unfit !== undefined ? 'rejected' : status,
    reason: unfit ?? reason,
    header: textAt(part('HEADER'), 'text') ?? null,
    headerFile: fileAbove(part('HEADER')),
    body,
    footer: textAt(part('FOOTER'), 'text') ?? null,
    buttons: buttons.map(titleOf),
    buttonKinds: ofCodes ? [] : buttons.map(kindOf),
  };
}

function statusFrom(
  status: string,
  rejectedReason: string | undefined,
): { status: TemplateStatus; reason: string | null } {
  switch (status) {
    case 'APPROVED':
      return { status: 'approved', reason: null };
    case 'PENDING':
    case 'IN_APPEAL':
    case 'PENDING_DELETION':
      return { status: 'pending', reason: null };
    case 'PAUSED':
      return {
        status: 'rejected',
        reason: 'Dijeda oleh Meta karena banyak penerima tidak menyukainya.',
      };
    case 'DISABLED':
      return { status: 'rejected', reason: 'Dimatikan oleh Meta.' };
    default: {
      const why =
        rejectedReason === undefined || rejectedReason === 'NONE' ? '' : ` (${rejectedReason})`;
      return { status: 'rejected', reason: `Ditolak oleh Meta${why}.` };
    }
  }
}

const codesTemplate = {
  category: 'AUTHENTICATION',
  components: [
    { type: 'BODY', add_security_recommendation: true },
    { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: 'Salin kode' }] },
  ],
};

function exampleOf(
  part: 'header_text' | 'body_text',
  names: readonly string[],
  isNamed: boolean,
): object | undefined {
  if (names.length === 0) return undefined;
  if (isNamed) {
    return { [`${part}_named_params`]: names.map((one) => ({ param_name: one, example: one })) };
  }
  const values = names.map((one) => `contoh ${one}`);
  return { [part]: part === 'body_text' ? [values] : values };
}

function submissionOf(template: NewTemplate): object {
  const {
    name,
    language = 'id',
    category = 'utility',
    header,
    body,
    footer,
    buttons = [],
  } = template;
  const [above, within] = [variablesOf(header ?? ''), variablesOf(body)];
  const isNamed = [...above, ...within].some((one) => !/^\d+$/.test(one));
  const examples = {
    header: exampleOf('header_text', above, isNamed),
    body: exampleOf('body_text', within, isNamed),
  };
  if (category === 'authentication') return { name, language, ...codesTemplate };
  return {
    name,
    language,
    category: category.toUpperCase(),
    ...(isNamed && { parameter_format: 'NAMED' }),
    components: [
      ...(header === undefined
        ? []
        : [
            given({
              type: 'HEADER',
              format: 'TEXT',
              text: header,
              example: examples.header,
            }),
          ]),
      given({ type: 'BODY', text: body, example: examples.body }),
      ...(footer === undefined ? [] : [{ type: 'FOOTER', text: footer }]),
      ...(buttons.length === 0
        ? []
        : [{ type: 'BUTTONS', buttons: buttons.map((text) => ({ type: 'QUICK_REPLY', text })) }]),
    ],
  };
}

const files: ReadonlyMap<string, TemplateFile> = new Map([
  ['IMAGE', 'image'],
  ['VIDEO', 'video'],
  ['DOCUMENT', 'document'],
]);

const partOf = (components: readonly unknown[], type: string): unknown =>
  components.find((one) => textAt(one, 'type') === type);

const fileAbove = (header: unknown): TemplateFile | null =>
  files.get(textAt(header, 'format') ?? '') ?? null;

/** Title of a button. Meta sets the title of one that copies a coupon, and may omit it. */
const titleOf = (button: unknown): string => textAt(button, 'text') ?? 'Salin kode';

function kindOf(button: unknown): TemplateButtonKind {
  switch (textAt(button, 'type')) {
    case 'QUICK_REPLY':
      return 'reply';
    case 'COPY_CODE':
      return 'code';
    case 'URL':
      return hasVariable(textAt(button, 'url')) ? 'url' : 'fixed';
    default:
      return 'fixed';
  }
}

const hasVariable = (text = ''): boolean => variablesOf(text).length > 0;

const unfitButtons: ReadonlySet<string> = new Set(['OTP', 'FLOW', 'CATALOG', 'MPM', 'SPM']);
const unfitComponents: ReadonlySet<string> = new Set(['CAROUSEL', 'LIMITED_TIME_OFFER']);

/** Why a template that Meta approves cannot be sent from here; undefined if it can. */
function unfitReason(components: readonly unknown[]): string | undefined {
  const header = partOf(components, 'HEADER');
  const format = textAt(header, 'format') ?? 'TEXT';
  if (format === 'LOCATION')
    return 'Templat dengan lokasi di atasnya belum dapat dikirim dari sini.';
  if (format !== 'TEXT' && !files.has(format))
    return 'Templat dengan judul seperti ini belum dapat dikirim dari sini.';
  if (components.some((one) => unfitComponents.has(textAt(one, 'type') ?? '')))
    return 'Templat dengan kartu geser atau penawaran terbatas belum dapat dikirim dari sini.';
  const buttons = listAt(partOf(components, 'BUTTONS'), 'buttons');
  return buttons.some((button) => unfitButtons.has(textAt(button, 'type') ?? ''))
    ? 'Templat dengan tombol formulir atau katalog belum dapat dikirim dari sini.'
    : undefined;
}
