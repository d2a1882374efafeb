import type { Language, Bilingual } from '#contract/language/language.ts';
import { international } from '#contract/messages/peer.ts';
import { messageIdOf } from '#contract/dialects.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { NewMessage, type PlacedMessage } from '#contract/rest/messages.ts';
import { refuseUnstorable } from '#server/http/input.ts';
import { readFields } from '#server/http/v1/send.ts';
import { CloudRefusal } from '#server/http/dialects/cloud/errors.ts';
import { at, given, textAt, unwrapped, listAt } from '#server/infra/net/json-values.ts';
import { type ShownChoices, CHOICE_LIMITS, type Choices } from '#contract/messages/captions.ts';
import { TEMPLATE_LIMITS, type TemplateFile, templateFiles } from '#contract/messages/templates.ts';
import * as z from 'zod/mini';
import { schema } from '#contract/base/schema.ts';
import { withNote } from '#contract/rest/endpoint.ts';

/**
 * A template with its body parameters as variables, its header's value, and its button values. Payloads of quick
 * replies are reported when a button is tapped.
 */
function templateDraft(
  template: unknown,
  { language, variableNames }: DraftOptions,
): Draft | Refusal {
  const components = listAt(template, 'components');
  const header = headerIn(parametersOf(components, 'header'));
  if (header === 'unfit') {
    return new CloudRefusal(132012, { 'template.components': phrases.header[language] });
  }
  const parameters = parametersOf(components, 'body');
  const texts = parameters.map(textOfParameter);
  if (texts.includes(undefined)) {
    return new CloudRefusal(131009, { 'template.components': phrases.parameter[language] });
  }
  const named = new Map(
    parameters.flatMap((one, index): [string, unknown][] => {
      const name = textAt(one, 'parameter_name');
      return name === undefined ? [] : [[name, texts[index]]];
    }),
  );
  if (variableNames && named.keys().some((name) => !variableNames.includes(name))) {
    return new CloudRefusal(132000, {
      'template.components': phrases.parameterName(variableNames)[language],
    });
  }
  // A missing or unnamed variable leaves too few values, and is refused by their count.
  const ordered = variableNames?.flatMap((name) => (named.has(name) ? [named.get(name)] : []));
  const variables = ordered ?? texts;
  const code = at(template, 'language', 'code') ?? at(template, 'language');
  return {
    fields: {
      type: 'template',
      template: given({
        name: at(template, 'name'),
        language: code,
        variables: variables.length === 0 ? undefined : variables,
        header: header?.given,
        buttons: templateButtonsIn(components),
      }),
    },
    places: {
      'template.variables': 'template.components',
      'template.header': 'template.components',
      'template.buttons': 'template.components',
      'template.language': 'template.language.code',
      payloads: 'template.components',
    },
    payloads: payloadsIn(components),
    headerKind: header?.kind,
  };
}

type Header = { given: unknown; kind?: TemplateFile };

function headerIn(parameters: readonly unknown[]): Header | undefined | 'unfit' {
  const [parameter, another] = parameters;
  if (parameter === undefined) return undefined;
  const kind = templateFiles.find((one) => at(parameter, 'type') === one);
  if (another !== undefined) return 'unfit';
  if (kind !== undefined) {
    const file = at(parameter, kind);
    const own = kind === 'document' ? { filename: at(file, 'filename') || undefined } : {};
    return { given: media(kind, file, {}, own).fields[kind], kind };
  }
  const text = textOfParameter(parameter);
  return text === undefined ? 'unfit' : { given: { text } };
}

function templateButtonsIn(components: readonly unknown[]): readonly unknown[] | undefined {
  const buttons = components.flatMap((one) => {
    const name = Object.keys(valueNames).find((type) => isOf(one, 'sub_type', type));
    const [parameter] = listAt(one, 'parameters');
    const isFilled = isOf(one, 'type', 'button') && parameter !== undefined;
    if (!isFilled || name === undefined) return [];
    const text = at(parameter, valueNames[name as keyof typeof valueNames]);
    return [{ index: Number(at(one, 'index')), text }];
  });
  return buttons.length === 0 ? undefined : buttons;
}

const valueNames = { url: 'text', copy_code: 'coupon_code' } as const;

/** The payloads of quick replies, at the indexes of their buttons; undefined without any. */
function payloadsIn(components: readonly unknown[]): readonly unknown[] | undefined {
  const payloads = new Map<number, unknown>();
  for (const one of components) {
    const place = Number(at(one, 'index'));
    const [parameter] = listAt(one, 'parameters');
    const payload = at(parameter, 'payload');
    const isReply = isOf(one, 'type', 'button') && isOf(one, 'sub_type', 'quick_reply');
    if (!isReply || payload === undefined || !isPlace(place)) continue;
    payloads.set(place, payload);
  }
  if (payloads.size === 0) return undefined;
  return Array.from({ length: TEMPLATE_LIMITS.buttons }, (_, place) => payloads.get(place));
}

const isPlace = (place: number): boolean =>
  Number.isInteger(place) && place >= 0 && place < TEMPLATE_LIMITS.buttons;

const isOf = (component: unknown, field: string, expected: string): boolean =>
  String(textAt(component, field)).toLowerCase() === expected;

function templateNamed(
  template: unknown,
): { name: string; language: string | undefined } | undefined {
  const parameters = parametersOf(listAt(template, 'components'), 'body');
  const name = textAt(template, 'name');
  if (name === undefined || !parameters.some((one) => textAt(one, 'parameter_name')))
    return undefined;
  return { name, language: textAt(template, 'language', 'code') };
}

const parametersOf = (components: readonly unknown[], type: string): readonly unknown[] =>
  components.filter((one) => isOf(one, 'type', type)).flatMap((one) => listAt(one, 'parameters'));

function textOfParameter(parameter: unknown): string | undefined {
  switch (at(parameter, 'type')) {
    case 'text':
      return textAt(parameter, 'text');
    case 'currency':
      return textAt(parameter, 'currency', 'fallback_value');
    case 'date_time':
      return textAt(parameter, 'date_time', 'fallback_value');
    default:
      return undefined;
  }
}

/**
 * An unvalidated message in the shape of `/v1`: given values are at the places that its schema reads. `places` maps
 * those fields to the caller's names where they differ.
 */
type Draft = {
  fields: Record<string, unknown>;
  places: Readonly<Record<string, string>>;
  choices?: DraftChoices | undefined;
  interactive?: ShownChoices | undefined;
  payloads?: readonly unknown[] | undefined;
  headerKind?: TemplateFile | undefined;
};

type VariableNames = readonly string[];

type DraftOptions = { language: Language; variableNames?: VariableNames | undefined };

/** An object with these fields; any other value unchanged, so that the schema refuses it. */
const objectWith = (object: unknown, fields: Record<string, unknown>): unknown =>
  typeof object === 'object' && object !== null ? given(fields) : object;

function media(
  type: 'image' | 'video' | 'audio' | 'document' | 'sticker',
  object: unknown,
  beside: Record<string, unknown>,
  own: Record<string, unknown> = {},
): Draft {
  const id = at(object, 'id') || undefined;
  const link = id === undefined ? at(object, 'link') || undefined : undefined;
  const file = objectWith(object, { id, link, ...own });
  return {
    fields: given({ type, [type]: file, ...beside }),
    places: { caption: `${type}.caption` },
  };
}

export const phrases = {
  numberId: {
    id: 'Harus "ID nomor telepon" yang ditampilkan di halaman Nomor, 16 angka; bukan nomor teleponnya.',
    en: 'Expected the "ID nomor telepon" that the page Nomor shows, 16 digits; not the phone number.',
  },
  wamid: {
    id: 'Harus id pesan yang masuk, misalnya "wamid.AZP…", seperti dikirim webhook.',
    en: 'Expected the id of a message that came in, such as "wamid.AZP…", as a webhook brings it.',
  },
  notReceived: {
    id: 'Pesan ini dikirim dari sini; hanya pesan masuk yang dapat ditandai terbaca.',
    en: 'This message was sent from here; only messages that came in can be marked as read.',
  },
  noGroups: {
    id: 'Grup tidak didukung. Kirim ke satu nomor ("individual").',
    en: 'Groups are not supported. Send to one number ("individual").',
  },
  type: {
    id: 'Jenis ini tidak didukung. Yang didukung: text, image, video, audio, document, sticker, location, contacts, reaction, interactive, template.',
    en: 'This type is not supported. Supported: text, image, video, audio, document, sticker, location, contacts, reaction, interactive, template.',
  },
  interactive: {
    id: 'Jenis ini tidak dapat ditulis sebagai teks. Yang didukung: button, list, cta_url, location_request_message.',
    en: 'This type cannot be written as text. Supported: button, list, cta_url, location_request_message.',
  },
  interactiveText: {
    id: 'Wajib diisi: teks pesan.',
    en: 'Required: the text of the message.',
  },
  options: {
    id: 'Wajib diisi: minimal satu pilihan dengan judul.',
    en: 'Required: one option with a title at least.',
  },
  url: {
    id: 'Wajib diisi: `display_text` dan `url`.',
    en: 'Required: `display_text` and `url`.',
  },
  oneContact: {
    id: 'Satu kontak dalam satu pesan. Kirim yang lain dalam pesan tersendiri.',
    en: 'One contact in one message. Send the others in messages of their own.',
  },
  header: {
    id: 'Isi satu parameter untuk kepala template: text, image, video atau document.',
    en: 'Expected one parameter for the header of a template: text, image, video or document.',
  },
  limit: {
    id: 'Harus bilangan bulat mulai dari 1.',
    en: 'Expected a whole number from 1.',
  },
  callback: {
    id: 'Isi keduanya: `override_callback_uri` dan `verify_token` (1–255 karakter tanpa spasi), atau tidak satu pun.',
    en: 'Give both, `override_callback_uri` and `verify_token` (1 to 255 characters without blanks), or neither.',
  },
  inputToken: {
    id: 'Wajib diisi: kunci yang ingin diperiksa.',
    en: 'Required: the key to look at.',
  },
  parameter: {
    id: 'Harus text, currency atau date_time, dengan teksnya.',
    en: 'Expected text, currency or date_time, with its text.',
  },
  parameterName: (names: readonly string[]): Bilingual => ({
    id: `Variabel template ini: ${names.join(', ')}. Periksa \`parameter_name\`.`,
    en: `The variables of this template are ${names.join(', ')}. Check \`parameter_name\`.`,
  }),
} as const satisfies Record<string, Bilingual | ((names: readonly string[]) => Bilingual)>;

type DraftChoices = {
  type: 'button' | 'list';
  options: readonly unknown[];
  places: Readonly<Record<string, string>>;
};

function buttonsIn(action: unknown): DraftChoices {
  const replies = listAt(action, 'buttons').map((button) => at(button, 'reply'));
  const options = replies.map((reply) => optionIn(reply, []));
  const places = options.map((_, n): [string, string] => [
    `options.${n}`,
    `interactive.action.buttons.${n}.reply`,
  ]);
  return { type: 'button', options, places: placesOf(places, 'buttons') };
}

function rowsIn(action: unknown): DraftChoices {
  const rows = listAt(action, 'sections').flatMap((section, s) =>
    listAt(section, 'rows').map((row, r) => ({ row, place: `sections.${s}.rows.${r}` })),
  );
  const options = rows.map(({ row }) => optionIn(row, ['description']));
  const places = rows.map(({ place }, n): [string, string] => [
    `options.${n}`,
    `interactive.action.${place}`,
  ]);
  return { type: 'list', options, places: placesOf(places, 'sections') };
}

const placesOf = (places: readonly [string, string][], all: string) => ({
  options: `interactive.action.${all}`,
  ...Object.fromEntries(places),
});

const optionIn = (option: unknown, more: readonly string[]): object =>
  given({
    id: at(option, 'id'),
    title: at(option, 'title'),
    ...Object.fromEntries(more.map((name) => [name, textAt(option, name)])),
  });

/** Counts characters, not UTF-16 units. */
const isWithin = (text: string, charactersMax: number): boolean =>
  text !== '' && text.length <= 2 * charactersMax && [...text].length <= charactersMax;

const Payload = (charactersMax: number) =>
  withNote(z.string().check(z.refine((id) => isWithin(id, charactersMax))), {
    expected: {
      id: `teks 1 sampai ${charactersMax} karakter`,
      en: `a string of 1 to ${charactersMax} characters`,
    },
  });

/** A single line, since an option with a line break could look like two. */
const Line = (charactersMax: number) =>
  withNote(
    z.string().check(z.refine((line) => isWithin(line, charactersMax) && isOneLine.test(line))),
    {
      expected: {
        id: `satu baris teks, 1 sampai ${charactersMax} karakter`,
        en: `one line of text, 1 to ${charactersMax} characters`,
      },
    },
  );

const isOneLine = /^[^\p{Cc}\u2028\u2029]*[^\p{Cc}\u2028\u2029\s][^\p{Cc}\u2028\u2029]*$/u;

const hasUniqueIds = (options: readonly { id: string }[]): boolean =>
  new Set(options.map(({ id }) => id)).size === options.length;

const Buttons = schema(() =>
  z.object({
    options: withNote(
      z
        .array(
          z.object({
            id: Payload(CHOICE_LIMITS.buttonId),
            title: Line(CHOICE_LIMITS.buttonTitle),
          }),
        )
        .check(z.maxLength(CHOICE_LIMITS.buttons), z.refine(hasUniqueIds)),
      {
        expected: {
          id: `1 sampai ${CHOICE_LIMITS.buttons} tombol dengan id yang berlainan`,
          en: `1 to ${CHOICE_LIMITS.buttons} buttons with ids of their own`,
        },
      },
    ),
  }),
);

const Rows = schema(() =>
  z.object({
    options: withNote(
      z
        .array(
          z.object({
            id: Payload(CHOICE_LIMITS.rowId),
            title: Line(CHOICE_LIMITS.rowTitle),
            description: z.optional(Line(CHOICE_LIMITS.rowDescription)),
          }),
        )
        .check(z.maxLength(CHOICE_LIMITS.rows), z.refine(hasUniqueIds)),
      {
        expected: {
          id: `paling banyak ${CHOICE_LIMITS.rows} baris di semua bagian, dengan id yang berlainan`,
          en: `at most ${CHOICE_LIMITS.rows} rows in all sections, with ids of their own`,
        },
      },
    ),
  }),
);

const choiceSchemas = { button: Buttons, list: Rows } as const satisfies Record<
  Exclude<Choices['type'], 'template'>,
  unknown
>;

const Payloads = schema(() => z.array(z.optional(Payload(CHOICE_LIMITS.payload))));

/**
 * An interactive message as an equivalent text: its options are numbered, so that a reply may give a number, and
 * stored beside, so that the reply is matched to its option. A header image, video or document gets the text as its
 * caption.
 */
function interactiveDraft(interactive: unknown, { language }: DraftOptions): Draft | Refusal {
  const body = at(interactive, 'body', 'text');
  if (typeof body !== 'string' || body === '') {
    const code = body === undefined ? 131008 : 131009;
    return new CloudRefusal(code, { 'interactive.body.text': phrases.interactiveText[language] });
  }
  const type = at(interactive, 'type');
  if (typeof type !== 'string' || !Object.hasOwn(choices, type)) {
    return new CloudRefusal(131051, { 'interactive.type': phrases.interactive[language] });
  }
  const read: (action: unknown) => Choice = choices[type as keyof typeof choices];
  const { lines, missing, offered } = read(at(interactive, 'action'));
  if (lines === undefined) {
    return new CloudRefusal(131008, { 'interactive.action': phrases[missing][language] });
  }
  const footer = textAt(interactive, 'footer', 'text');
  const rest = [body, lines, footer === undefined ? '' : `_${footer}_`];
  const text = rest.filter((part) => part !== '').join('\n\n');
  return {
    ...withHeader(at(interactive, 'header'), text),
    choices: offered,
    interactive: offered && shownIn(interactive, body),
  };
}

/** WhatsApp's display limits around buttons and lists, in UTF-16 units. */
const SHOWN_MAX = { body: 1024, header: 60, footer: 60, button: 20, section: 24 } as const;

/** Undefined where the texts are too long for native buttons and lists. */
function shownIn(interactive: unknown, body: string): ShownChoices | undefined {
  const isText = at(interactive, 'header', 'type') === 'text';
  const header = isText ? textAt(interactive, 'header', 'text') : undefined;
  const footer = textAt(interactive, 'footer', 'text');
  const button = textAt(interactive, 'action', 'button');
  const sections = listAt(interactive, 'action', 'sections').map((section) => ({
    title: textAt(section, 'title'),
    rows: listAt(section, 'rows').length,
  }));
  const fits =
    body.length <= SHOWN_MAX.body &&
    (header?.length ?? 0) <= SHOWN_MAX.header &&
    (footer?.length ?? 0) <= SHOWN_MAX.footer &&
    (button?.length ?? 0) <= SHOWN_MAX.button &&
    sections.every(({ title }) => (title?.length ?? 0) <= SHOWN_MAX.section);
  if (!fits) return undefined;
  return { header, body, footer, button, ...(sections.length > 0 && { sections }) };
}

type Choice = {
  lines: string | undefined;
  missing: 'options' | 'url';
  offered?: DraftChoices;
};

const choices = {
  button: (action) => ({
    lines: numberedText(listAt(action, 'buttons').map((button) => at(button, 'reply'))),
    missing: 'options',
    offered: buttonsIn(action),
  }),
  list: (action) => ({ lines: listText(action), missing: 'options', offered: rowsIn(action) }),
  cta_url: (action) => {
    const [shown, url] = ['display_text', 'url'].map((own) => textAt(action, 'parameters', own));
    const lines = shown === undefined || url === undefined ? undefined : `${shown}: ${url}`;
    return { lines, missing: 'url' };
  },
  location_request_message: () => ({ lines: '', missing: 'options' }),
} as const satisfies Record<string, (action: unknown) => Choice>;

/** `1. Title — description`, one option a line; undefined where one has no title. */
function numberedText(options: readonly unknown[], first = 1): string | undefined {
  const lines = options.map((option, index) => {
    const title = textAt(option, 'title');
    if (title === undefined) return undefined;
    const description = textAt(option, 'description');
    return `${first + index}. ${title}${description === undefined ? '' : ` — ${description}`}`;
  });
  return lines.length === 0 || lines.includes(undefined) ? undefined : lines.join('\n');
}

function listText(action: unknown): string | undefined {
  let first = 1;
  const sections: string[] = [];
  for (const section of listAt(action, 'sections')) {
    const rows = listAt(section, 'rows');
    const lines = numberedText(rows, first);
    if (lines === undefined) return undefined;
    first += rows.length;
    const title = textAt(section, 'title');
    sections.push(title === undefined ? lines : `*${title}*\n${lines}`);
  }
  if (sections.length === 0) return undefined;
  const above = textAt(action, 'button');
  return [...(above === undefined ? [] : [`${above}:`]), ...sections].join('\n\n');
}

function withHeader(header: unknown, text: string): Draft {
  const type = at(header, 'type');
  if (type === 'image' || type === 'video' || type === 'document') {
    const file = at(header, type);
    const own = type === 'document' ? { filename: at(file, 'filename') } : {};
    const { fields } = media(type, file, { caption: text }, own);
    return {
      fields,
      places: { [type]: `interactive.header.${type}`, caption: 'interactive.body.text' },
    };
  }
  const title = textAt(header, 'text');
  return {
    fields: {
      type: 'text',
      text: { body: title === undefined ? text : `*${title}*\n\n${text}` },
    },
    places: { 'text.body': 'interactive.body.text' },
  };
}

/** A parsed `POST /{phone-number-id}/messages`. */
export type CloudRequest =
  | { kind: 'message'; message: PlacedMessage; input: string }
  | { kind: 'read'; messageId: string };

type Options = {
  language: Language;
  variableNames?: VariableNames;
};

/** The template of a request with named variables, whose order must be looked up. */
export const namedTemplateIn = (body: unknown) =>
  at(body, 'type') === 'template' ? templateNamed(unwrapped(at(body, 'template'))) : undefined;

/**
 * Converts a body of the Cloud API's message endpoint to the message that `/v1` would receive, by the same rules;
 * refusals use the caller's field names. Unknown fields are ignored.
 */
export function readCloudRequest(
  body: unknown,
  { language, variableNames }: Options,
): CloudRequest | Refusal {
  if (at(body, 'status') === 'read') return readReceipt(body, language);
  const refused = refuseUnsupported(body, language);
  if (refused) return refused;
  const draft = draftOf(body, { language, variableNames });
  if (draft instanceof Refusal) return draft;
  const { fields, places } = envelopeOf(body, draft);
  const read = readFields(NewMessage(), fields, { language, whole: 'message' });
  if (read instanceof Refusal) return withCallerNames(read, fields, places);
  const beside = readExtras(draft, language);
  if (beside instanceof Refusal) return beside;
  return {
    kind: 'message',
    message: { ...read, ...beside },
    input: textAt(body, 'to') ?? textAt(body, 'recipient') ?? read.to,
  };
}

function readExtras(
  { choices, interactive, payloads, headerKind, places }: Draft,
  language: Language,
): Pick<PlacedMessage, 'choices' | 'interactive' | 'payloads' | 'headerKind'> | Refusal {
  if (choices) {
    const read = readChoices(choices, language);
    return read instanceof Refusal || !interactive ? read : { ...read, interactive };
  }
  const kind = headerKind && { headerKind };
  if (!payloads) return { ...kind };
  const read = readFields(Payloads(), payloads, { language, whole: 'payloads' });
  if (!(read instanceof Refusal)) return { payloads: read, ...kind };
  const [sentence = ''] = Object.values((read as Refusal<'input_invalid'>).facts.fields);
  return new CloudRefusal(131009, { [places['payloads'] ?? 'template']: sentence });
}

function readChoices({ type, options, places }: DraftChoices, language: Language) {
  const read = readFields(choiceSchemas[type](), { options }, { language });
  if (read instanceof Refusal) return withCallerNames(read, { options }, places);
  return { choices: { type, options: read.options } };
}

function readReceipt(body: unknown, language: Language): CloudRequest | Refusal {
  const wamid = at(body, 'message_id');
  const unstorable = refuseUnstorable(wamid, language, 'message_id');
  if (unstorable) return unstorable;
  const messageId = typeof wamid === 'string' ? idIn(wamid) : undefined;
  if (messageId !== undefined) return { kind: 'read', messageId };
  const code = wamid === undefined ? 131008 : 131009;
  return new CloudRefusal(code, { message_id: phrases.wamid[language] });
}

/** A message's public id from any notation; an invalid one is unchanged, and refused later. */
const idIn = (wamid: string): string => messageIdOf(wamid) ?? wamid;

function refuseUnsupported(body: unknown, language: Language): Refusal | undefined {
  const group = at(body, 'recipient_type') === 'group';
  if (group) return new CloudRefusal(131009, { recipient_type: phrases.noGroups[language] });
  return undefined;
}

function envelopeOf(body: unknown, draft: Draft): Draft {
  // As at Meta, the number wins over the user id.
  const isNumbered = at(body, 'to') !== undefined;
  const to = at(body, isNumbered ? 'to' : 'recipient');
  const quoted = at(body, 'context', 'message_id');
  const echoed = at(body, 'biz_opaque_callback_data');
  const isReaction = draft.fields['type'] === 'reaction';
  const fields = given({
    ...draft.fields,
    to: internationalIn(to),
    reply_to: isReaction || quoted === '' ? undefined : publicIdAt(quoted),
    metadata: echoed === undefined || echoed === '' ? undefined : { [ECHOED]: echoed },
  });
  const places = {
    ...draft.places,
    ...(!isNumbered && at(body, 'recipient') !== undefined && { to: 'recipient' }),
    reply_to: 'context.message_id',
    metadata: ECHOED,
  };
  return { fields, places };
}

/** Meta's rules: digits begin with the country code, also with 8; a leading 0 is local. */
function internationalIn(to: unknown): unknown {
  const written = typeof to === 'number' ? String(to) : to;
  return typeof written === 'string' ? international(written) : written;
}

const ECHOED = 'biz_opaque_callback_data';

const publicIdAt = (value: unknown): unknown => (typeof value === 'string' ? idIn(value) : value);

function withCallerNames(
  no: Refusal,
  fields: Record<string, unknown>,
  places: Readonly<Record<string, string>>,
): Refusal {
  if (no.code !== 'input_invalid') return no;
  const wrong = Object.entries((no as Refusal<'input_invalid'>).facts.fields);
  const isMissing = wrong.some(([name]) => at(fields, ...name.split('.')) === undefined);
  const named = wrong.map(([name, sentence]) => [placeOf(name, places), sentence]);
  return new CloudRefusal(isMissing ? 131008 : 131009, Object.fromEntries(named));
}

function placeOf(name: string, places: Readonly<Record<string, string>>): string {
  const prefix = Object.keys(places)
    .filter((own) => name === own || name.startsWith(`${own}.`))
    .toSorted((a, b) => b.length - a.length)[0];
  if (prefix === undefined) return name;
  return places[prefix] === ECHOED ? ECHOED : `${places[prefix]}${name.slice(prefix.length)}`;
}

type Drafter = (object: unknown, options: DraftOptions) => Draft | Refusal;

function draftOf(body: unknown, options: DraftOptions): Draft | Refusal {
  const type = at(body, 'type') ?? 'text';
  if (typeof type !== 'string' || !Object.hasOwn(drafters, type)) {
    return new CloudRefusal(131051, { type: phrases.type[options.language] });
  }
  return drafters[type as keyof typeof drafters](unwrapped(at(body, type)), options);
}

const drafters = {
  text: (text) => ({
    fields: { type: 'text', text: objectWith(text, { body: at(text, 'body') }) },
    places: {},
  }),
  image: (image) => media('image', image, { caption: caption(image) }),
  video: (video) => media('video', video, { caption: caption(video) }),
  audio: (audio) => media('audio', audio, {}, { voice: at(audio, 'voice') === true || undefined }),
  document: (document) =>
    media(
      'document',
      document,
      { caption: caption(document) },
      { filename: at(document, 'filename') },
    ),
  sticker: (sticker) => media('sticker', sticker, {}),
  location: (location) => ({
    fields: { type: 'location', location: objectWith(location, locationOf(location)) },
    places: {},
  }),
  contacts: contactDraft,
  reaction: (reaction) => {
    const id = at(reaction, 'message_id');
    const message_id = typeof id === 'string' ? (messageIdOf(id) ?? id) : id;
    const own = { message_id, emoji: at(reaction, 'emoji') };
    return { fields: { type: 'reaction', reaction: objectWith(reaction, own) }, places: {} };
  },
  interactive: interactiveDraft,
  template: templateDraft,
} as const satisfies Record<string, Drafter>;

const caption = (object: unknown): unknown => at(object, 'caption') || undefined;

function locationOf(location: unknown): Record<string, unknown> {
  return {
    latitude: numberIn(at(location, 'latitude')),
    longitude: numberIn(at(location, 'longitude')),
    name: at(location, 'name') || undefined,
    address: at(location, 'address') || undefined,
  };
}

const numberIn = (value: unknown): unknown =>
  typeof value === 'string' && /^-?\d{1,3}(\.\d{1,20})?$/.test(value) ? Number(value) : value;

function contactDraft(contacts: unknown, { language }: DraftOptions): Draft | Refusal {
  const list = listAt({ contacts }, 'contacts');
  if (list.length > 1) return new CloudRefusal(131009, { contacts: phrases.oneContact[language] });
  const [card] = list;
  const name = at(card, 'name');
  const parts = ['first_name', 'middle_name', 'last_name'].flatMap(
    (own) => textAt(name, own) ?? [],
  );
  const phones = listAt(card, 'phones').map((phone) => {
    const number = at(phone, 'phone') ?? at(phone, 'wa_id');
    return typeof number === 'string' ? international(number) : number;
  });
  const contact = given({
    name: at(name, 'formatted_name') ?? (parts.length > 0 ? parts.join(' ') : undefined),
    ...(phones.length > 1 ? { phones } : { phone: phones[0] }),
    organization: at(card, 'org', 'company') || undefined,
    email: at(card, 'emails', 0, 'email') || undefined,
  });
  return {
    fields: { type: 'contact', contact },
    places: {
      contact: 'contacts.0',
      'contact.name': 'contacts.0.name.formatted_name',
      'contact.phone': 'contacts.0.phones.0.phone',
      'contact.organization': 'contacts.0.org.company',
      'contact.email': 'contacts.0.emails.0.email',
    },
  };
}
