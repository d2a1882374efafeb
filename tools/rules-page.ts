/** The page of all pure rules, read from their sources: signature, module, one sentence. */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** Where rules are, beside the folder of the kit's own. */
const places = [
  'src/contract/messages/captions.ts',
  'src/contract/base/money.ts',
  'src/contract/base/phone.ts',
  'src/contract/base/time.ts',
  'src/web/client/redirect.ts',
  'src/web/client/search.ts',
];
const folder = 'src/web/ui/rules';

export type Rule = { name: string; signature: string; about: string };

const opening = '([{<';
const closing = ')]}>';

/** The place behind what opens at `from`; `=>` closes nothing. */
function behind(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const letter = text[at] ?? '';
    if (opening.includes(letter)) depth += 1;
    if (closing.includes(letter) && !(letter === '>' && text[at - 1] === '=')) depth -= 1;
    if (depth === 0) return at + 1;
  }
  throw new Error('rules-page: something opens and never closes');
}

/** Where a function's head ends: at its body, or at the arrow before it. */
function endOfHead(text: string, from: number): number {
  let at = from;
  for (let before = ''; at < text.length;) {
    const letter = text[at] ?? '';
    if (text.startsWith('=>', at)) return at;
    // A brace begins a type behind `:` and the like; behind a finished type it begins the body.
    if (letter === '{' && !/[:|&,=]/.test(before)) return at;
    at = opening.includes(letter) ? behind(text, at) : at + 1;
    if (letter.trim() !== '') before = text[at - 1] ?? '';
  }
  throw new Error('rules-page: a function has no body');
}

/** What an export's head says: `undefined` for what is no function. */
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
 * @throws Error for one without a docstring: a rule says what it rules.
 */
export function rulesIn(text: string, file: string): Rule[] {
  const rules: Rule[] = [];
  for (const found of text.matchAll(/^export (?=(?:async )?function (\w+)|const (\w+) =)/gm)) {
    const name = found[1] ?? found[2] ?? '';
    const signature = signatureAt(text, found.index + found[0].length, name);
    if (signature === undefined) continue;
    const about = sentenceAbove(text, found.index);
    if (about === '') throw new Error(`${file}: say above ${name} what it does.`);
    rules.push({ name, signature, about });
  }
  return rules;
}

/** Every module with its rules, in the order of the alphabet. */
async function readRules(): Promise<{ file: string; rules: Rule[] }[]> {
  const names = await readdir(join(root, folder));
  const own = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  const files = [...places, ...own.map((name) => `${folder}/${name}`)].toSorted();
  const read = async (file: string) => ({
    file,
    rules: rulesIn(await readFile(join(root, file), 'utf8'), file),
  });
  const modules = await Promise.all(files.map(read));
  return modules.filter(({ rules }) => rules.length > 0);
}

/** The page in Markdown. @param table how a table is printed. */
export async function rulesPage(
  printed: string,
  table: (head: readonly string[], lines: readonly (readonly string[])[]) => string,
): Promise<string> {
  const modules = await readRules();
  const parts = modules.map(({ file, rules }) => {
    const lines = rules.map(({ signature, about }) => [`\`${signature}\``, about]);
    return `## \`#${file.slice('src/'.length)}\`\n\n${table(['Rule', 'What it says'], lines)}\n`;
  });
  return `# Rules

${printed}

What the interface decides without asking anybody: functions of their input alone, tested without a
browser. A piece of the kit shows what they say.

${parts.join('\n')}`;
}
