/** Tables that a piece of SQL reads and writes: names in the position of a table. */
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

/** Finds the tables that SQL uses, without names that it defines itself. */
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

export const tablesOf = (sql: string): string[] =>
  [...sql.matchAll(/\bcreate\s+(?:unlogged\s+)?table\s+(?:if\s+not\s+exists\s+)?(\w+)/g)].map(
    ([, name = '']) => name,
  );

export const functionsOf = (sql: string): { name: string; text: string }[] =>
  [
    ...sql.matchAll(
      /\bcreate\s+(?:or\s+replace\s+)?(?:function|procedure)\s+(\w+)[\s\S]*?(?:\$(\w*)\$[\s\S]*?\$\2\$[^;]*;|(?<=\n)(?:return\b[^;]*;|begin\s+atomic[\s\S]*?\nend;))/g,
    ),
  ].map(([text, name = '']) => ({ name, text }));

/** Texts of a TypeScript file's template literals; the content of `${…}` is a separate text. */
export function templatesOf(text: string): string[] {
  const found: string[] = [];
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

/** Returns the end of a comment, string or regular expression that begins at `at`, else `at`. */
function skipFrom(text: string, at: number): number {
  for (const pattern of skippable) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) return at + match[0].length;
  }
  return at;
}
