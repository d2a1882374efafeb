export type Inline =
  | { kind: 'text' | 'code' | 'strong' | 'emphasis'; text: string }
  | { kind: 'link'; text: string; href: string };

export type Block =
  | { kind: 'heading'; level: 1 | 2 | 3; id: string; text: string }
  | { kind: 'paragraph'; line: readonly Inline[] }
  | { kind: 'list'; items: readonly (readonly Inline[])[] }
  | { kind: 'table'; head: readonly (readonly Inline[])[]; rows: readonly (readonly Inline[])[][] }
  /** `note`: the text after the language of the fence. */
  | { kind: 'code'; language: string; note: string; code: string };

/**
 * Parses the Markdown subset of our documents: headings, paragraphs, lists of one level, tables, fenced code; inline
 * `code`, **strong** and *emphasized* text, and links. Anything else stays text.
 */
export function parseMarkdown(source: string): Block[] {
  const lines = source.split('\n');
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length;) {
    const { block, next } = blockAt(lines, at);
    if (block) blocks.push(block);
    at = next;
  }
  return blocks;
}

type Read = { block?: Block; next: number };

function blockAt(lines: readonly string[], at: number): Read {
  const line = lines[at] ?? '';
  if (line.trim() === '') return { next: at + 1 };
  const [, marks, title = ''] = /^(#{1,3}) (.+)$/.exec(line) ?? [];
  if (marks !== undefined) {
    const level = marks.length as 1 | 2 | 3;
    // A translated heading has the anchor of the English one: `## Batas {#limits}`.
    const [, text = title, id = slugOf(title)] = /^(.+?) \{#([\w-]+)\}$/.exec(title) ?? [];
    return { block: { kind: 'heading', level, id, text }, next: at + 1 };
  }
  if (line.startsWith('```')) return fenceAt(lines, at);
  if (line.startsWith('|')) return tableAt(lines, at);
  if (line.startsWith('- ')) return listAt(lines, at);
  const next = endOf(lines, at, (one) => one.trim() !== '' && !/^(#{1,3} |```|\||- )/.test(one));
  const words = lines.slice(at, next).map((one) => one.trim());
  return { block: { kind: 'paragraph', line: parseInline(words.join(' ')) }, next };
}

function endOf(lines: readonly string[], at: number, goesOn: (line: string) => boolean): number {
  const end = lines.findIndex((line, index) => index > at && !goesOn(line));
  return end === -1 ? lines.length : end;
}

function fenceAt(lines: readonly string[], at: number): Read {
  const [language = '', ...note] = (lines[at] ?? '').slice(3).trim().split(' ');
  const end = endOf(lines, at, (line) => !line.startsWith('```'));
  const code = lines.slice(at + 1, end).join('\n');
  return { block: { kind: 'code', language, note: note.join(' '), code }, next: end + 1 };
}

function tableAt(lines: readonly string[], at: number): Read {
  const end = endOf(lines, at, (line) => line.startsWith('|'));
  const [head = [], , ...rows] = lines.slice(at, end).map(cellsOf);
  return { block: { kind: 'table', head, rows }, next: end };
}

const cellsOf = (line: string): Inline[][] =>
  line
    .trim()
    .replaceAll(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => parseInline(cell.trim().replaceAll('\\|', '|')));

function listAt(lines: readonly string[], at: number): Read {
  const end = endOf(lines, at, (line) => line.startsWith('- ') || line.startsWith('  '));
  const items: string[] = [];
  for (const line of lines.slice(at, end)) {
    if (line.startsWith('- ')) items.push(line.slice(2));
    else items.push(`${items.pop() ?? ''} ${line.trim()}`);
  }
  return { block: { kind: 'list', items: items.map(parseInline) }, next: end };
}

const marked =
  /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s](?:[^*]*[^*\s])?)\*|\[((?:`[^`]*`|[^\]`])+)\]\(([^)\s]+)\)/g;

/** Parses a line; links may point within the page, to our own addresses, or to https. Others show their text alone. */
export function parseInline(line: string): Inline[] {
  const found: Inline[] = [];
  let from = 0;
  const plain = (to: number) => {
    if (to > from) found.push({ kind: 'text', text: line.slice(from, to) });
  };
  for (const match of line.matchAll(marked)) {
    const [whole, code, strong, emphasis, text = '', href = ''] = match;
    plain(match.index);
    from = match.index + whole.length;
    if (code !== undefined) found.push({ kind: 'code', text: code });
    else if (strong !== undefined) found.push({ kind: 'strong', text: strong });
    else if (emphasis !== undefined) found.push({ kind: 'emphasis', text: emphasis });
    else if (/^(#|\/(?!\/)|https:\/\/)/.test(href)) {
      found.push({ kind: 'link', text: text.replaceAll('`', ''), href });
    } else found.push({ kind: 'text', text: text.replaceAll('`', '') });
  }
  plain(line.length);
  return found;
}

/** The anchor of a heading, in GitHub's style: `GET /v1/x` → `get-v1x`. */
export const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
