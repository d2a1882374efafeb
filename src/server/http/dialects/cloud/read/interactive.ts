import type { Refusal } from '#contract/base/refusals.ts';
import type { ShownChoices } from '#contract/messages/choices.ts';
import { CloudRefusal } from '#server/http/dialects/cloud/errors.ts';
import { at, listAt, textAt } from '#server/infra/net/json-values.ts';
import { type DraftChoices, buttonsIn, rowsIn } from './choices.ts';
import { type Draft, type DraftOptions, media } from './parts.ts';
import { phrases } from './phrases.ts';

/**
 * An interactive message as a text that says the same: its options are numbered, so that a reply may name
 * one by its number, and stand beside, so that the reply is known for what it chooses. A picture, film or
 * document above it takes the text as its caption.
 */
export function interactiveDraft(
  interactive: unknown,
  { language }: DraftOptions,
): Draft | Refusal {
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

/** The longest that WhatsApp shows of the words around buttons and lists, in UTF-16 units. */
const SHOWN_MAX = { body: 1024, header: 60, footer: 60, button: 20, section: 24 } as const;

/** The words around the choices, for networks that show these by themselves; undefined where they are too long. */
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
  /** What a reply may choose. */
  offered?: DraftChoices;
};

const choices = {
  button: (action) => ({
    lines: numbered(listAt(action, 'buttons').map((button) => at(button, 'reply'))),
    missing: 'options',
    offered: buttonsIn(action),
  }),
  list: (action) => ({ lines: listed(action), missing: 'options', offered: rowsIn(action) }),
  cta_url: (action) => {
    const [shown, url] = ['display_text', 'url'].map((own) => textAt(action, 'parameters', own));
    const lines = shown === undefined || url === undefined ? undefined : `${shown}: ${url}`;
    return { lines, missing: 'url' };
  },
  location_request_message: () => ({ lines: '', missing: 'options' }),
} as const satisfies Record<string, (action: unknown) => Choice>;

/** `1. Title — description`, one option a line; undefined where one has no title, or there is none. */
function numbered(options: readonly unknown[], first = 1): string | undefined {
  const lines = options.map((option, index) => {
    const title = textAt(option, 'title');
    if (title === undefined) return undefined;
    const description = textAt(option, 'description');
    return `${first + index}. ${title}${description === undefined ? '' : ` — ${description}`}`;
  });
  return lines.length === 0 || lines.includes(undefined) ? undefined : lines.join('\n');
}

/** The rows of all sections, numbered through, under the titles of their sections. */
function listed(action: unknown): string | undefined {
  let first = 1;
  const sections: string[] = [];
  for (const section of listAt(action, 'sections')) {
    const rows = listAt(section, 'rows');
    const lines = numbered(rows, first);
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
