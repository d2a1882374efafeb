import type { Language } from '#contract/language/language.ts';
import { international } from '#contract/messages/peer.ts';
import { messageIdOf } from '#contract/dialects/cloud.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { NewMessage, type PlacedMessage } from '#contract/rest/new-message.ts';
import { refuseUnstorable } from '#server/http/input.ts';
import { readFields } from '#server/http/v1/fields.ts';
import { CloudRefusal } from '#server/http/dialects/cloud/errors.ts';
import { at, given, textAt, unwrapped } from '#server/infra/net/json-values.ts';
import { type DraftChoices, Payloads, choiceSchemas } from './choices.ts';
import { draftOf } from './draft.ts';
import type { Draft, VariableNames } from './parts.ts';
import { phrases } from './phrases.ts';
import { templateNamed } from './template.ts';

/** What `POST /{phone-number-id}/messages` asks for. */
export type CloudRequest =
  | { kind: 'message'; message: PlacedMessage; input: string }
  | { kind: 'read'; messageId: string };

type Options = {
  language: Language;
  /** The variables that a template's text names, in its order; asked for only where they come by name. */
  variableNames?: VariableNames;
};

/** The template whose variables a request gives by name, when it does: their order has to be looked up. */
export const namedTemplateIn = (body: unknown) =>
  at(body, 'type') === 'template' ? templateNamed(unwrapped(at(body, 'template'))) : undefined;

/**
 * A body of the Cloud API's message endpoint as the message that `/v1` would be given, or why it is none: by
 * the same rules as there, told by the fields that the caller wrote. Fields that are not known are passed over.
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
  if (read instanceof Refusal) return named(read, fields, places);
  const beside = readBeside(draft, language);
  if (beside instanceof Refusal) return beside;
  return {
    kind: 'message',
    message: { ...read, ...beside },
    input: textAt(body, 'to') ?? textAt(body, 'recipient') ?? read.to,
  };
}

/** What of a message `/v1` has no field for. */
function readBeside(
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
  if (read instanceof Refusal) return named(read, { options }, places);
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

/** A message's public id, however it was written; what is none stays as it is, and is refused as such. */
const idIn = (wamid: string): string => messageIdOf(wamid) ?? wamid;

function refuseUnsupported(body: unknown, language: Language): Refusal | undefined {
  const group = at(body, 'recipient_type') === 'group';
  if (group) return new CloudRefusal(131009, { recipient_type: phrases.noGroups[language] });
  return undefined;
}

/** What every message has, beside its type's own fields. */
function envelopeOf(body: unknown, draft: Draft): Draft {
  // Of both, the number counts, as at Meta.
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

/** A recipient as Meta reads it: digits begin with the country, also those that begin with 8; a leading 0 is local. */
function internationalIn(to: unknown): unknown {
  const written = typeof to === 'number' ? String(to) : to;
  return typeof written === 'string' ? international(written) : written;
}

/** Under this name what a caller wants echoed is kept with the message. */
const ECHOED = 'biz_opaque_callback_data';

const publicIdAt = (value: unknown): unknown => (typeof value === 'string' ? idIn(value) : value);

/** A refusal that names the fields as the caller wrote them; what is missing is told from what is wrong. */
function named(
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
