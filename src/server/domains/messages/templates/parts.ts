import { Refusal } from '#contract/base/refusals.ts';
import { type Template, type TemplateFile, variablesOf } from '#contract/messages/templates.ts';
import type { NewMessage } from '#contract/rest/new-message.ts';
import type { StoredTemplate } from './rows.ts';

/** What a template takes beside the variables of its body. */
type Parts = Pick<Template, 'header_file' | 'header_variable' | 'button_values'>;

/** The parts of a template. Only a network fills in headers and buttons: where none reviews it, they are text. */
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

type Named = Extract<NewMessage, { type: 'template' }>['template'];

/** What a message gives for a template's parts. */
export type GivenParts = Pick<Named, 'header' | 'buttons'> & {
  headerKind?: TemplateFile | undefined;
};

/** The parts as a message stores them, for the network that fills the template in. */
export type FilledParts = {
  /** The kind of the file above the text; which one it is stands beside, as in a message of that type. */
  header_file?: TemplateFile;
  header_parameter?: { name: string; text: string };
  button_values?: readonly { index: number; takes: 'url' | 'code'; text: string }[];
  /** The places of its replies among all buttons; left out where all are replies. */
  reply_places?: readonly number[];
};

/** The parts of a template, filled in; or the refusal where something is missing, or not asked for. */
export function fillParts(stored: StoredTemplate, given: GivenParts): FilledParts | Refusal {
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

/** Clients of Meta's also fill in buttons that are text here, and the button of a code, which gets the code by itself. */
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
