import { GraphError } from '#tests/support/meta/errors.ts';
import {
  type Fields,
  invalid,
  listIn,
  missing,
  objectIn,
  optionalTextIn,
  textIn,
} from './fields.ts';

const count = (list: readonly Fields[], max: number, name: string): void => {
  if (list.length === 0) throw missing(`The parameter ${name} is required.`);
  if (list.length > max) throw invalid(`Param ${name} must have at most ${max} entries.`);
};

const distinct = (values: readonly string[], name: string): void => {
  if (new Set(values).size < values.length) throw invalid(`Duplicated ${name}.`);
};

function checkButtons(action: Fields): void {
  const buttons = listIn(action, 'buttons');
  count(buttons, 3, 'buttons');
  const replies = buttons.map((button) => {
    if (button['type'] !== 'reply') throw invalid('Param type of a button must be "reply".');
    const reply = objectIn(button, 'reply');
    return { id: textIn(reply, 'id', 256), title: textIn(reply, 'title', 20) };
  });
  distinct(
    replies.map(({ id }) => id),
    'button id',
  );
  distinct(
    replies.map(({ title }) => title),
    'button title',
  );
}

function checkList(action: Fields): void {
  textIn(action, 'button', 20);
  const sections = listIn(action, 'sections');
  count(sections, 10, 'sections');
  const rows = sections.flatMap((section) => {
    if (sections.length > 1) textIn(section, 'title', 24);
    else optionalTextIn(section, 'title', 24);
    return listIn(section, 'rows');
  });
  count(rows, 10, 'rows');
  distinct(
    rows.map((row) => {
      textIn(row, 'title', 24);
      optionalTextIn(row, 'description', 72);
      return textIn(row, 'id', 200);
    }),
    'row id',
  );
}

function checkCtaUrl(action: Fields): void {
  const parameters = objectIn(action, 'parameters');
  textIn(parameters, 'display_text', 20);
  const url = URL.parse(textIn(parameters, 'url', 2000));
  if (!url || !/^https?:$/.test(url.protocol)) throw invalid('Param url is not a valid URL.');
}

const actions: Readonly<Record<string, (action: Fields) => void>> = {
  button: checkButtons,
  list: checkList,
  cta_url: checkCtaUrl,
};

const others = [
  'product',
  'product_list',
  'catalog_message',
  'flow',
  'carousel',
  'location_request_message',
  'address_message',
];

export function checkInteractive(interactive: Fields): void {
  const type = textIn(interactive, 'type', 64);
  const check = actions[type];
  if (!check && !others.includes(type)) {
    throw new GraphError(131_009, { details: `Param interactive['type'] is not valid: ${type}.` });
  }
  if (interactive['header'] !== undefined) {
    const header = objectIn(interactive, 'header');
    const kind = textIn(header, 'type', 16);
    if (kind === 'text') textIn(header, 'text', 60);
    else if (['image', 'video', 'document'].includes(kind)) objectIn(header, kind);
    else throw invalid("Param header['type'] is not valid.");
  }
  if (type !== 'product')
    textIn(objectIn(interactive, 'body'), 'text', type === 'list' ? 4096 : 1024);
  if (interactive['footer'] !== undefined) textIn(objectIn(interactive, 'footer'), 'text', 60);
  const action = objectIn(interactive, 'action');
  check?.(action);
}
