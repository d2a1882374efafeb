/** The page of all pure rules, read from their sources: signature, module, one sentence. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** The modules of pure rules, each next to the component that uses it. */
const modules = [
  'src/contract/messages/captions.ts',
  'src/contract/base/money.ts',
  'src/contract/base/phone.ts',
  'src/contract/base/time.ts',
  'src/contract/base/written-number.ts',
  'src/web/api/uploads/chunks.ts',
  'src/web/api/uploads/fileTypes.ts',
  'src/web/ui/upload/uploadAnnouncer.ts',
  'src/web/browser/router/search.ts',
  'src/web/browser/redirect.ts',
  'src/web/ui/avatar/initials.ts',
  'src/web/ui/chart/bars.ts',
  'src/web/ui/chat/chat.ts',
  'src/web/ui/chat/cards/vcard.ts',
  'src/web/ui/classes.ts',
  'src/web/ui/date/calendar.ts',
  'src/web/ui/date/dates.ts',
  'src/web/ui/form/formRules.ts',
  'src/web/ui/media/media.ts',
  'src/web/ui/media/mediaClock.ts',
  'src/web/ui/menu/menus.ts',
  'src/web/ui/money/currency.ts',
  'src/web/ui/pagination/paging.ts',
  'src/web/ui/phone/countries.ts',
  'src/web/ui/phone/phone.ts',
  'src/web/ui/phone/telephone.ts',
  'src/web/ui/phone/telephoneCountries.ts',
  'src/web/ui/phone/telephoneReal.ts',
  'tests/support/telephone-vectors.ts',
  'src/web/ui/select/options.ts',
  'src/web/ui/table/columns.ts',
  'src/web/ui/table/selection.ts',
  'src/web/ui/table/sort.ts',
  'src/web/ui/text/textLength.ts',
  'src/web/ui/time/countdown.ts',
  'src/web/ui/time/time.ts',
  'src/web/ui/upload/drop/uploadsAdmission.ts',
  'src/web/ui/upload/fileSize.ts',
  'src/web/ui/upload/preview/uploadsPreview.ts',
  'src/web/ui/upload/queue/uploadState.ts',
  'src/web/ui/upload/reorder/reorder.ts',
];

export type Rule = { name: string; signature: string; about: string };

const opening = '([{<';
const closing = ')]}>';

/** The position after the bracket that opens at `from`; `=>` closes nothing. */
function behind(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const letter = text[at] ?? '';
    if (opening.includes(letter)) depth += 1;
    if (closing.includes(letter) && !(letter === '>' && text[at - 1] === '=')) depth -= 1;
    if (depth === 0) return at + 1;
  }
  throw new Error('rules-page: a bracket is never closed');
}

/** The end of a function's head: its body, or the arrow before it. */
function endOfHead(text: string, from: number): number {
  let at = from;
  for (let before = ''; at < text.length;) {
    const letter = text[at] ?? '';
    if (text.startsWith('=>', at)) return at;
    // A brace begins a type after `:` and the like; after a complete type it begins the body.
    if (letter === '{' && !/[:|&,=]/.test(before)) return at;
    at = opening.includes(letter) ? behind(text, at) : at + 1;
    if (letter.trim() !== '') before = text[at - 1] ?? '';
  }
  throw new Error('rules-page: a function has no body');
}

/** The signature of an export; `undefined` if it is not a function. */
function signatureAt(text: string, from: number, name: string): string | undefined {
  const head = /^(?:(?:async )?function \w+|const \w+ = (?:async )?)(?=[(<])/.exec(
    text.slice(from),
  );
  if (!head) return undefined;
  const start = from + head[0].length;
  const written = text.slice(start, endOfHead(text, start));
  return `${name}${written}`
    .replace(/\s+/g, ' ')
    .replace(/,? ([)\]])/g, '$1')
    .replace(/([([]) /g, '$1')
    .trim();
}

/** The first sentence of a docstring; empty when there is none directly above. */
function sentenceAbove(text: string, from: number): string {
  const doc = /\/\*\*((?:[^*]|\*(?!\/))*)\*\/\n$/.exec(text.slice(0, from))?.[1] ?? '';
  const words = doc.replace(/^\s*\*? ?/gm, '').split(/\n\n|\n@/)[0] ?? '';
  const line = words.replace(/\s+/g, ' ').trim();
  return /^.*?\.(?= [A-Z`'"]|$)/.exec(line)?.[0] ?? line;
}

/**
 * The functions that a module exports, in its own order.
 *
 * @throws Error for one without a docstring: a rule must state what it decides.
 */
export function rulesIn(text: string, file: string): Rule[] {
  const rules: Rule[] = [];
  for (const found of text.matchAll(/^export (?=(?:async )?function (\w+)|const (\w+) =)/gm)) {
    const name = found[1] ?? found[2] ?? '';
    const signature = signatureAt(text, found.index + found[0].length, name);
    if (signature === undefined) continue;
    const about = sentenceAbove(text, found.index);
    if (about === '') throw new Error(`${file}: ${name} needs a docstring.`);
    rules.push({ name, signature, about });
  }
  return rules;
}

async function readRules(): Promise<{ file: string; rules: Rule[] }[]> {
  const read = async (file: string) => ({
    file,
    rules: rulesIn(await readFile(join(root, file), 'utf8'), file),
  });
  const found = await Promise.all(modules.toSorted().map(read));
  return found.filter(({ rules }) => rules.length > 0);
}

/** The page in Markdown. @param table formats a table. */
export async function rulesPage(
  printed: string,
  table: (head: readonly string[], lines: readonly (readonly string[])[]) => string,
): Promise<string> {
  const found = await readRules();
  const parts = found.map(({ file, rules }) => {
    const lines = rules.map(({ signature, about }) => [`\`${signature}\``, about]);
    return `## \`#${file.slice('src/'.length)}\`\n\n${table(['Rule', 'What it says'], lines)}\n`;
  });
  return `# Rules

${printed}

What the interface decides without asking anybody: functions of their input alone, tested without a
browser. A piece of the kit shows what they say.

${parts.join('\n')}`;
}
