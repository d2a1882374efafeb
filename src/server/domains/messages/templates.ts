import { Refusal } from '#contract/base/refusals.ts';
import {
  type TemplateCategory,
  fillTemplate,
  unfitValue,
  valueOrderOf,
  variablesOf,
  type Template,
  type TemplateFile,
  type TemplateStatus,
  createTemplate,
  deleteTemplate,
  listTemplates,
  syncTemplateList,
  type templateEndpoints as endpoints,
  TEMPLATE_LIMITS,
  templateName,
  type NewTemplate,
} from '#contract/messages/templates.ts';
import { type Sql, type Tx, type Fragment, asAccount } from '#server/infra/postgres/database.ts';
import type { NewMessage } from '#contract/rest/messages.ts';
import type { TemplateButtonKind, NetworkTemplate } from '#server/domains/channels/channels.ts';
import { type InputOf, PAGE_SIZE, type PageOf } from '#contract/base/act.ts';
import { requireToken } from '#server/domains/tokens/tokens.ts';
import { type ActHandler, handle } from '#server/infra/acts.ts';
import type { ApiHandlers } from '#server/infra/endpoints.ts';
import { appendEvent } from '#server/domains/events/events.ts';
import { newId } from '#server/infra/ids.ts';

/** A template with its variables filled in, as stored in a message and read by its receiver. */
export type RenderedTemplate = FilledParts & {
  template: string;
  /** Not stored with the message. */
  category?: TemplateCategory;
  language: string;
  text: string;
  header?: string;
  footer?: string;
  buttons?: readonly string[];
  /** Values of its variables, for networks that fill the template in themselves. */
  parameters?: readonly { name: string; text: string }[];
  /**
   * Its one variable is a code, which its button copies: the network needs the code a second time for the button.
   */
  code_button?: true;
};

type Named = GivenParts & {
  name: string;
  language?: string | undefined;
  variables?: readonly string[] | undefined;
};

export function renderTemplate(
  stored: readonly StoredTemplate[],
  { name, language, variables = [], ...given }: Named,
): RenderedTemplate | Refusal {
  const named = stored.filter((one) => one.name === name);
  const fitting = language === undefined ? named : named.filter((one) => one.language === language);
  const [template, another] = fitting;
  if (!template) return new Refusal('template_not_found', { name });
  if (another) {
    const languages = fitting.map((one) => one.language).join(', ');
    return new Refusal('template_language_needed', { name, languages });
  }
  if (template.status !== 'approved') return new Refusal('template_not_approved', { name });
  const expected = variablesOf(template.body).length;
  const count = variables.length;
  if (expected !== count) {
    return new Refusal('template_variables_unfit', { name, expected, given: count });
  }
  const parts = fillParts(template, given);
  if (parts instanceof Refusal) return parts;
  return {
    template: template.name,
    ...(isOfCodes(template) && { code_button: true as const }),
    category: template.category,
    language: template.language,
    text: fillTemplate(template.body, variables),
    ...parts,
    ...(template.header !== null && { header: headerOf(template.header, parts) }),
    ...(template.footer !== null && { footer: template.footer }),
    ...(template.buttons.length > 0 && { buttons: template.buttons }),
    ...(count > 0 && {
      parameters: valueOrderOf(template.body).map((one, index) => ({
        name: one,
        text: variables[index] ?? '',
      })),
    }),
  };
}

const headerOf = (header: string, { header_parameter: given }: FilledParts): string =>
  given === undefined ? header : fillTemplate(header, [given.text]);

/**
 * True for a template of codes that a network reviews: all of its category have a code and a button that copies it.
 */
const isOfCodes = ({ category, network_id }: StoredTemplate): boolean =>
  category === 'authentication' && network_id !== null;

/**
 * The first value that Meta would refuse, by the name of its variable; a header and buttons have names of their own.
 */
export function refuseUnfitValue({
  template: name,
  parameters = [],
  header_parameter: header,
  button_values: buttons = [],
}: RenderedTemplate): Refusal | undefined {
  const values = [
    ...parameters,
    ...(header ? [header] : []),
    ...buttons.map(({ index, text }) => ({ name: `buttons[${index}]`, text })),
  ];
  for (const { name: variable, text } of values) {
    const why = unfitValue(text);
    if (why) return new Refusal('template_value_unfit', { name, variable, why });
  }
  return undefined;
}

const HIDDEN_CODE = '••••••';

/**
 * The template by which an account sends one-time codes, with the code hidden; Indonesian if there are several.
 * Undefined while no network has approved one.
 */
export async function codeTemplate(
  sql: Sql | Tx,
  accountId: string,
): Promise<RenderedTemplate | undefined> {
  const stored = await readTemplates(sql, accountId, undefined);
  const fit = stored.filter((one) => isOfCodes(one) && variablesOf(one.body).length === 1);
  const sendable = fit.filter(({ status }) => status === 'approved');
  const template = sendable.find(({ language }) => language === 'id') ?? sendable[0];
  if (!template) return undefined;
  const { name, language } = template;
  const rendered = renderTemplate([template], { name, language, variables: [HIDDEN_CODE] });
  return rendered instanceof Refusal ? undefined : rendered;
}

type Parts = Pick<Template, 'header_file' | 'header_variable' | 'button_values'>;

/**
 * The parts of a template. Only a network fills in headers and buttons: without one they are plain text.
 */
export function partsOf({ header, header_file, buttons, ...stored }: StoredTemplate): Parts {
  const isText = stored.network_id === null || header === null || header_file !== null;
  return {
    header_file,
    header_variable: isText ? null : (variablesOf(header)[0] ?? null),
    button_values: stored.button_kinds.flatMap((takes, index) =>
      takes === 'url' || takes === 'code' ? [{ index, title: buttons[index] ?? '', takes }] : [],
    ),
  };
}

type GivenTemplate = Extract<NewMessage, { type: 'template' }>['template'];

type GivenParts = Pick<GivenTemplate, 'header' | 'buttons'> & {
  headerKind?: TemplateFile | undefined;
};

type FilledParts = {
  /**
   * The file type of the header; the file itself is a field of the message, as in a message of that type.
   */
  header_file?: TemplateFile;
  header_parameter?: { name: string; text: string };
  button_values?: readonly { index: number; takes: 'url' | 'code'; text: string }[];
  /** The positions of its replies among all buttons; left out if all are replies. */
  reply_places?: readonly number[];
};

function fillParts(stored: StoredTemplate, given: GivenParts): FilledParts | Refusal {
  const parts = partsOf(stored);
  const { header_file, header_variable, button_values } = parts;
  const buttons = takesButtons(stored) ? (given.buttons ?? []) : [];
  const texts = new Map(buttons.map(({ index, text }) => [index, text]));
  const isFilled =
    texts.size === button_values.length && button_values.every(({ index }) => texts.has(index));
  if (!isFilled || !fitsHeader(parts, given)) return unfit(stored.name, parts);
  const places = stored.button_kinds.flatMap((kind, place) => (kind === 'reply' ? [place] : []));
  return {
    ...(header_file !== null && { header_file }),
    ...(header_variable !== null && {
      header_parameter: { name: header_variable, text: given.header?.text ?? '' },
    }),
    ...(button_values.length > 0 && {
      button_values: button_values.map(({ index, takes }) => ({
        index,
        takes,
        text: texts.get(index) ?? '',
      })),
    }),
    ...(places.length < stored.button_kinds.length && { reply_places: places }),
  };
}

/**
 * Meta's clients also pass values for plain buttons, and for the button of a code, which gets the code automatically.
 */
const takesButtons = ({ network_id, category }: StoredTemplate): boolean =>
  network_id !== null && category !== 'authentication';

function fitsHeader(
  { header_file, header_variable }: Parts,
  { header, headerKind }: GivenParts,
): boolean {
  if (header === undefined) return header_file === null && header_variable === null;
  if (header.text !== undefined) return header_variable !== null;
  return header_file !== null && (headerKind ?? header_file) === header_file;
}

const unfit = (name: string, { header_file, header_variable, button_values }: Parts) =>
  new Refusal('template_parts_unfit', {
    name,
    header: header_file ?? (header_variable === null ? null : 'text'),
    buttons: button_values.map(({ index }) => index),
  });

export type StoredTemplate = {
  name: string;
  language: string;
  category: TemplateCategory;
  header: string | null;
  header_file: TemplateFile | null;
  body: string;
  footer: string | null;
  buttons: readonly string[];
  /** Kind of each button; empty if all are replies. */
  button_kinds: readonly TemplateButtonKind[];
  status: TemplateStatus;
  reason: string | null;
  /** Its id at the network that reviews it; null without one. */
  network_id: string | null;
  token_ids: readonly string[];
  created_at: Date;
};

export const templateColumns = (tx: Sql | Tx): Fragment => tx`
  name, language, category, header, header_file, body, footer, buttons, button_kinds, status,
  reason, network_id, token_ids, created_at`;

/** The account's templates in all their languages: of these names, or all. */
export async function readTemplates(
  tx: Sql | Tx,
  accountId: string,
  names: readonly string[] | undefined,
): Promise<readonly StoredTemplate[]> {
  if (names?.length === 0) return [];
  return tx<StoredTemplate[]>`
    select ${templateColumns(tx)} from message_templates
    where account_id = ${accountId}
      ${names ? tx`and name = any (${[...new Set(names)]}::text[])` : tx``}
    order by name, language`;
}

type Deps = { sql: Sql; review: TemplateReview };

/** The acts of templates: list, create and delete, as in the public API. */
export const templateActs = ({ sql, review }: Deps): readonly ActHandler[] => [
  handle(listTemplates, ({ caller: { accountId } }, input) =>
    asAccount(sql, accountId, (tx) => pageOfTemplates(tx, accountId, input)),
  ),
  handle(createTemplate, ({ caller: { accountId } }, template) =>
    addTemplate({ sql, review }, accountId, template),
  ),
  handle(deleteTemplate, async ({ caller: { accountId } }, { name, language }) => {
    await dropTemplate({ sql, review }, { accountId, name, language });
    return {};
  }),
  handle(syncTemplateList, async ({ caller: { accountId } }) => {
    await syncTemplates({ sql, review }, accountId);
    return {};
  }),
];

/**
 * The templates that a token can send: by the Cloud API those that Meta allows its number, by other channels all.
 */
const sentBy = (
  tx: Tx,
  { accountId, tokenId }: { accountId: string; tokenId: string },
): Fragment => tx`
  and (${tokenId} = any (token_ids) or exists (
    select from tokens
    where account_id = ${accountId} and token_id = ${tokenId} and channel <> 'cloud'))`;

/** A page of an account's templates: by name and language, or by age. */
export async function pageOfTemplates(
  tx: Tx,
  accountId: string,
  {
    name,
    language,
    status,
    token_id: tokenId,
    q,
    page = 0,
    sort_by,
    sort_type,
  }: InputOf<typeof listTemplates>,
): Promise<PageOf<Template>> {
  if (tokenId !== undefined) await requireToken(tx, accountId, tokenId);
  const which = tx`
    account_id = ${accountId}
      ${name === undefined ? tx`` : tx`and name = ${name}`}
      ${language === undefined ? tx`` : tx`and language = ${language}`}
      ${status === undefined ? tx`` : tx`and status = ${status}`}
      ${tokenId === undefined ? tx`` : sentBy(tx, { accountId, tokenId })}
      ${q ? tx`and (strpos(name, ${q.toLowerCase()}) > 0 or strpos(lower(body), ${q.toLowerCase()}) > 0)` : tx``}`;
  const direction = sort_type === 'desc' ? tx`desc` : tx`asc`;
  const order =
    sort_by === 'created_at'
      ? tx`created_at ${direction}, name, language`
      : tx`name ${direction}, language`;
  const [counted] = await tx<{ total: number }[]>`
    select count(*) as total from message_templates where ${which}`;
  const found = await tx<StoredTemplate[]>`
    select ${templateColumns(tx)} from message_templates where ${which}
    order by ${order} limit ${PAGE_SIZE} offset ${page * PAGE_SIZE}`;
  return { rows: found.map(templateOf), total: counted?.total ?? 0 };
}

export type TemplateReview = {
  reviews(accountId: string): Promise<boolean>;
  /** The network's templates. @throws Refusal `cloud_refused`, `cloud_unreachable` */
  list(accountId: string): Promise<readonly NetworkTemplate[]>;
  /** Submits a template for review. @throws Refusal, as `list` does */
  submit(accountId: string, template: NewTemplate): Promise<void>;
  /** Deletes a template in all its languages. @throws Refusal, as `list` does */
  remove(accountId: string, name: string): Promise<void>;
};

/** Without review every template is stored as it is submitted. */
export const noReview: TemplateReview = {
  reviews: async () => false,
  list: async () => [],
  submit: async () => undefined,
  remove: async () => undefined,
};

const SYNC_TRIES_MAX = 3;

/**
 * Syncs an account's templates from its network. For reviewed templates the network's version replaces ours; local ones
 * stay until the network has one with their name and language. If another sync stored its list meanwhile, ours may be
 * older, so it is read again.
 *
 * @throws Refusal, as `TemplateReview.list` does
 */
export async function syncTemplates({ sql, review }: Deps, accountId: string): Promise<void> {
  if (!(await review.reviews(accountId))) return;
  for (let tries = 1; ; tries++) {
    const before = await asAccount(sql, accountId, (tx) => networkDigest(tx, accountId));
    const known = await review.list(accountId);
    const byName = Map.groupBy(known, ({ name, language }) => `${name} ${language}`);
    const templates = [...byName.values()].map(joined).slice(0, TEMPLATE_LIMITS.all * 2);
    const isStored = await asAccount(sql, accountId, async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtextextended(${`templates ${accountId}`}, 0))`;
      if (tries < SYNC_TRIES_MAX && (await networkDigest(tx, accountId)) !== before) return false;
      const isChanged = await storeTemplates(tx, accountId, templates);
      if (isChanged) await appendEvent(tx, { accountId, kind: 'template.changed', data: {} });
      return true;
    });
    if (isStored) return;
  }
}

async function networkDigest(tx: Tx, accountId: string): Promise<string | null> {
  const [row] = await tx<{ digest: string | null }[]>`
    select md5(string_agg(t::text, '' order by name, language)) as digest
    from message_templates t where account_id = ${accountId} and network_id is not null`;
  return row?.digest ?? null;
}

/**
 * Templates of one name in several business accounts: only tokens of the accounts that approved it can send it.
 */
const joined = (same: readonly NetworkTemplate[]): NetworkTemplate => ({
  ...same.reduce((one, other) => (rankOf(other) > rankOf(one) ? other : one)),
  tokenIds: same
    .filter(({ status }) => status === 'approved')
    .flatMap(({ tokenIds }) => tokenIds)
    .toSorted(),
});

const priceRank: Readonly<Record<TemplateCategory, number>> = {
  utility: 1,
  authentication: 2,
  marketing: 3,
};

/**
 * Rank among templates of the same name in two business accounts: the approved one wins; of two approved, the more
 * expensive, even if it cannot be sent from here: the sending number decides which of them is sent.
 */
const rankOf = ({ status, isLive, category }: NetworkTemplate): number =>
  isLive ? priceRank[category] + (status === 'approved' ? 0.5 : 0) : 0;

async function storeTemplates(
  tx: Tx,
  accountId: string,
  templates: readonly NetworkTemplate[],
): Promise<boolean> {
  let changes = 0;
  for (const one of templates) {
    const stored = await tx`
      insert into message_templates as t (
        account_id, template_id, name, language, category, header, header_file, body, footer,
        buttons, button_kinds, status, reason, token_ids, network_id
      ) values (
        ${accountId}, ${newId()}, ${one.name}, ${one.language}, ${one.category}, ${one.header},
        ${one.headerFile}, ${one.body}, ${one.footer}, ${one.buttons}::text[],
        ${one.buttonKinds}::text[], ${one.status}, ${one.reason},
        ${one.tokenIds}::uuid[], ${one.networkId}
      )
      on conflict (account_id, name, language) do update set
        category = excluded.category, header = excluded.header, header_file = excluded.header_file,
        body = excluded.body, footer = excluded.footer, buttons = excluded.buttons,
        button_kinds = excluded.button_kinds, status = excluded.status, reason = excluded.reason,
        token_ids = excluded.token_ids, network_id = excluded.network_id
        where (t.category, t.header, t.header_file, t.body, t.footer, t.buttons, t.button_kinds,
            t.status, t.reason, t.token_ids, t.network_id)
          is distinct from (excluded.category, excluded.header, excluded.header_file,
            excluded.body, excluded.footer, excluded.buttons, excluded.button_kinds,
            excluded.status, excluded.reason, excluded.token_ids,
            excluded.network_id)
      returning 1`;
    changes += stored.length;
  }
  const gone = await tx`
    delete from message_templates
    where account_id = ${accountId} and network_id is not null
      and (name, language) not in (
        select * from unnest(
          ${templates.map(({ name }) => name)}::text[],
          ${templates.map(({ language }) => language)}::text[]
        )
      )
    returning 1`;
  return changes + gone.length > 0;
}

/**
 * Stores a template; open pages are notified. @throws Refusal `template_exists`, `templates_full`
 */
async function insertTemplate(
  tx: Tx,
  { accountId, status }: { accountId: string; status: TemplateStatus },
  given: NewTemplate,
): Promise<Template> {
  const { name, language = 'id', category = 'utility', header, body, footer, buttons = [] } = given;
  const [count] = await tx<{ all: number }[]>`
    select count(*) as all from message_templates where account_id = ${accountId}`;
  if ((count?.all ?? 0) >= TEMPLATE_LIMITS.all) {
    throw new Refusal('templates_full', { limit: TEMPLATE_LIMITS.all });
  }
  const [added] = await tx<StoredTemplate[]>`
    insert into message_templates (
      account_id, template_id, name, language, category, header, body, footer, buttons, status
    ) values (
      ${accountId}, ${newId()}, ${name}, ${language}, ${category}, ${header ?? null}, ${body},
      ${footer ?? null}, ${buttons}::text[], ${status}
    )
    on conflict (account_id, name, language) do nothing
    returning ${templateColumns(tx)}`;
  if (!added) throw new Refusal('template_exists', { name, language });
  await appendEvent(tx, { accountId, kind: 'template.changed', data: {} });
  return templateOf(added);
}

type TemplateKey = { accountId: string; name: string; language: string | undefined };

/** Deletes one language, or all; open pages are notified. @throws Refusal `template_not_found` */
async function removeTemplate(tx: Tx, { accountId, name, language }: TemplateKey): Promise<void> {
  const removed = await tx`
    delete from message_templates
    where account_id = ${accountId} and name = ${name}
      ${language === undefined ? tx`` : tx`and language = ${language}`}
    returning 1`;
  if (removed.length === 0) throw new Refusal('template_not_found', { name });
  await appendEvent(tx, { accountId, kind: 'template.changed', data: {} });
}

export const templateOf = (stored: StoredTemplate): Template => ({
  name: stored.name,
  language: stored.language,
  category: stored.category,
  status: stored.status,
  reason: stored.reason,
  header: stored.header,
  ...partsOf(stored),
  body: stored.body,
  footer: stored.footer,
  buttons: [...stored.buttons],
  variables: [...variablesOf(stored.body)],
  created_at: stored.created_at,
});

/**
 * Creates a template, first at the network that reviews the account's templates. Without one it is approved.
 * @throws Refusal `template_exists`, `templates_full`, `cloud_refused`, `cloud_unreachable`
 */
export async function addTemplate(
  { sql, review }: Deps,
  accountId: string,
  template: NewTemplate,
): Promise<Template> {
  const isReviewed = await review.reviews(accountId);
  if (isReviewed) {
    const { name, language = 'id' } = template;
    const known = await asAccount(sql, accountId, (tx) => readTemplates(tx, accountId, [name]));
    if (known.some((one) => one.language === language))
      throw new Refusal('template_exists', { name, language });
    await review.submit(accountId, template);
  }
  const status = isReviewed ? 'pending' : 'approved';
  return asAccount(sql, accountId, (tx) => insertTemplate(tx, { accountId, status }, template));
}

/**
 * Deletes a template: one language only here, all languages also at the network.
 * @throws Refusal `template_not_found`, `cloud_refused`, `cloud_unreachable`
 */
export async function dropTemplate({ sql, review }: Deps, named: TemplateKey): Promise<void> {
  const { accountId, name } = named;
  if (await review.reviews(accountId)) await review.remove(accountId, name);
  await asAccount(sql, accountId, (tx) => removeTemplate(tx, named));
}

/** The endpoints of templates. They belong to the account: each of its tokens can send them. */
export const templateEndpoints = (deps: Deps): ApiHandlers<keyof typeof endpoints> => ({
  listTemplates: async ({ sender }) => ({ data: await templatesOf(deps.sql, sender.accountId) }),
  addTemplate: ({ sender, body }) => addTemplate(deps, sender.accountId, body),
  getTemplate: async ({ sender, id: name }) => {
    const data = templateName.test(name) ? await templatesOf(deps.sql, sender.accountId, name) : [];
    if (data.length === 0) throw notFound(name);
    return { data };
  },
  removeTemplate: async ({ sender: { accountId }, id: name, query: { language } }) => {
    if (!templateName.test(name)) throw notFound(name);
    await dropTemplate(deps, { accountId, name, language });
  },
});

/** The account's templates, by name and language: all, or those of one name. */
export const templatesOf = async (
  sql: Sql,
  accountId: string,
  name?: string,
): Promise<Template[]> => {
  const names = name === undefined ? undefined : [name];
  const found = await asAccount(sql, accountId, (tx) => readTemplates(tx, accountId, names));
  return found.map(templateOf);
};

/**
 * The variables in a template's text, in the order in which a message gives their values; undefined when none or
 * several templates match.
 */
export async function templateVariablesOf(
  sql: Sql,
  accountId: string,
  { name, language }: { name: string; language: string | undefined },
): Promise<readonly string[] | undefined> {
  if (!templateName.test(name)) return undefined;
  const found = await templatesOf(sql, accountId, name);
  const fitting = found.filter((one) => language === undefined || one.language === language);
  const [template, another] = fitting;
  return template && !another ? valueOrderOf(template.body) : undefined;
}

const notFound = (name: string) => new Refusal('template_not_found', { name });
