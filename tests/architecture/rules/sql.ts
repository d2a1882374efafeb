/** What a piece of SQL reads and writes: the names that stand where tables stand. */
export type TableUse = { writes: ReadonlySet<string>; reads: ReadonlySet<string> };

const NAME = '[a-z_][a-z0-9_]*';
const writing = new RegExp(
  `\\b(?:insert\\s+into|update|delete\\s+from|merge\\s+into|truncate)\\s+(?:only\\s+)?(${NAME})`,
  'g',
);
const reading = new RegExp(
  `(delete\\s+)?\\b(?:from|join|using)\\s+(?:only\\s+)?((?:${NAME}(?:\\s+(?:as\\s+)?[a-z]\\w*)?\\s*,\\s*)*${NAME})`,
  'g',
);
const named = new RegExp(
  `(?:\\bwith|\\brecursive|,)\\s+(${NAME})(?:\\s*\\([^)]*\\))?\\s+as\\s`,
  'g',
);

/** What SQL reads and writes; names that it gives to its own parts are left out. */
export function usesOf(sql: string): TableUse {
  const text = sql.replace(/--.*$/gm, '').replace(/'(?:[^']|'')*'/g, "''");
  const own = new Set([...text.matchAll(named)].map(([, name = '']) => name));
  const without = (names: readonly string[]) => new Set(names.filter((name) => !own.has(name)));
  const writes = [...text.matchAll(writing)].map(([, name = '']) => name);
  const reads = [...text.matchAll(reading)].flatMap(([, deleting, names = '']) =>
    deleting ? [] : names.split(',').map((name) => name.trim().split(/\s/)[0] ?? ''),
  );
  return { writes: without(writes), reads: without(reads) };
}

/** The tables that migrations make. */
export const tablesOf = (sql: string): string[] =>
  [...sql.matchAll(/\bcreate\s+(?:unlogged\s+)?table\s+(?:if\s+not\s+exists\s+)?(\w+)/g)].map(
    ([, name = '']) => name,
  );

/** The functions that a file makes, each with its text. */
export const functionsOf = (sql: string): { name: string; text: string }[] =>
  [
    ...sql.matchAll(
      /\bcreate\s+(?:or\s+replace\s+)?(?:function|procedure)\s+(\w+)[\s\S]*?(?:\$(\w*)\$[\s\S]*?\$\2\$[^;]*;|(?<=\n)(?:return\b[^;]*;|begin\s+atomic[\s\S]*?\nend;))/g,
    ),
  ].map(([text, name = '']) => ({ name, text }));

/** The texts of the template literals of a TypeScript file; what stands in `${…}` is a piece of its own. */
export function templatesOf(text: string): string[] {
  const found: string[] = [];
  /** How deep each template that is open stands in braces, and what was read of it. */
  const open: { depth: number; words: string }[] = [];
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const inside = open.at(-1);
    const char = text[at] ?? '';
    if (inside && inside.depth === depth) {
      if (char === '\\') at += 1;
      else if (char === '`') {
        found.push(open.pop()?.words ?? '');
        depth -= 1;
      } else if (char === '$' && text[at + 1] === '{') {
        inside.words += ' $ ';
        depth += 1;
        at += 1;
      } else inside.words += char;
      continue;
    }
    const skipped = skipFrom(text, at);
    if (skipped > at) at = skipped - 1;
    else if (char === '`') {
      depth += 1;
      open.push({ depth, words: '' });
    } else if (char === '{') depth += 1;
    else if (char === '}') depth -= 1;
  }
  return found;
}

const skippable = [
  /\/\/.*/y,
  /\/\*[\s\S]*?\*\//y,
  /'(?:[^'\\\n]|\\.)*'/y,
  /"(?:[^"\\\n]|\\.)*"/y,
  /(?<=[(,=:[!&|?{};\n]\s*)\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y,
];

/** Where a comment, a string or a regular expression that begins here ends; else the place itself. */
function skipFrom(text: string, at: number): number {
  for (const pattern of skippable) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) return at + match[0].length;
  }
  return at;
}
