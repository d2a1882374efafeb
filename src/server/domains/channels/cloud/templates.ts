import { Refusal } from '#contract/base/refusals.ts';
import {
  type TemplateCategory,
  type TemplateStatus,
  variablesOf,
  type TemplateFile,
} from '#contract/messages/templates.ts';
import type { NewTemplate } from '#contract/rest/templates.ts';
import type { NetworkTemplate, TemplateButtonKind } from '#server/domains/channels/channels.ts';
import { given, listAt, textAt } from '#server/infra/net/json-values.ts';
import { type Graph, askFirmly, pagesOf } from '#server/domains/channels/cloud/graph.ts';
import { type NumbersDeps, numbersOfAccount } from '#server/domains/channels/cloud/numbers.ts';

/** The templates of an account's WhatsApp Business accounts. */
export type CloudTemplates = {
  /** Whether Meta reviews the account's templates: it has a number of the Cloud API. */
  reviews(accountId: string): Promise<boolean>;
  /** All of them. @throws Refusal `cloud_refused`, `cloud_unreachable` */
  list(accountId: string): Promise<NetworkTemplate[]>;
  /** Hands one in for review, in every business account. @throws Refusal, as `list` does */
  submit(accountId: string, template: NewTemplate): Promise<void>;
  /** Deletes one, in all its languages. @throws Refusal, as `list` does */
  remove(accountId: string, name: string): Promise<void>;
};

type Deps = NumbersDeps & { graph: Graph };

/** A business account at Meta, opened by one of its numbers. */
type BusinessAccount = { wabaId: string; accessToken: string; tokenIds: readonly string[] };

/** Opens the templates at Meta. */
export function openCloudTemplates(deps: Deps): CloudTemplates {
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
        await askFirmly(graph, { accessToken, method: 'POST', path, body });
      }
    },
    async remove(accountId, name) {
      for (const { accessToken, wabaId } of await accountsOf(accountId)) {
        const path = `${wabaId}/message_templates?name=${encodeURIComponent(name)}`;
        await askFirmly(graph, { accessToken, method: 'DELETE', path }).catch(isGone);
      }
    },
  };
}

/** What Meta does not have is deleted already. */
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

/** Meta's own limits are 512 and less: longer ones are no template's. */
const NAME_MAX = 512;

/** A template of Meta's; undefined for what has no text, or is of no known category. */
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
  const said = textAt(one, 'rejected_reason');
  const { status, reason } = statusFrom(textAt(one, 'status') ?? '', said);
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
  said: string | undefined,
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
      const why = said === undefined || said === 'NONE' ? '' : ` (${said})`;
      return { status: 'rejected', reason: `Ditolak oleh Meta${why}.` };
    }
  }
}

/** Of codes Meta writes the words itself, in each language. */
const codesTemplate = {
  category: 'AUTHENTICATION',
  components: [
    { type: 'BODY', add_security_recommendation: true },
    { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: 'Salin kode' }] },
  ],
};

/** The examples of a text's variables, their own names; undefined where it has none. */
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

/** A template as Meta takes it for review. Each variable needs an example. */
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

/** The component of a type; undefined where there is none. */
const partOf = (components: readonly unknown[], type: string): unknown =>
  components.find((one) => textAt(one, 'type') === type);

/** The kind of the file in a header. */
const fileAbove = (header: unknown): TemplateFile | null =>
  files.get(textAt(header, 'format') ?? '') ?? null;

/** What a button says. Of one that copies a coupon Meta writes the words itself, and may not name them. */
const titleOf = (button: unknown): string => textAt(button, 'text') ?? 'Salin kode';

/** What a button takes of each message. */
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

/** Why a template cannot be sent from here although Meta approves it; undefined where it can. */
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
