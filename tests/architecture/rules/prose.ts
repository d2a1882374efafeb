import { type Rule, isTest } from './sources.ts';

const COMMENT = /^\s*(?:\/\*\*?|\*|\/\/|--)\s?(.*)$/;
const INLINE_COMMENT = /\/\*\* (.*?)\*\//;
const CODE = /`[^`]*`/g;
const TITLE = /\b(?:test|it|describe)(?:\.\w+)*\(\s*['"`](.*?)['"`]/;

/** A clause used as a noun: "What comes back", "Who is signed in". Questions are fine. */
const CLAUSE =
  /^(What|Who|Whom|Whose|Whoever|Whatever|Where|Wherever|Which|How|That) (?!(is|are|was|were|do|does|did|can|should|happens|to)\b.*\?)/;
const CLAUSE_IN_TITLE = /^(what|who|whose|whoever|whatever|where|wherever)\b/;
const VAGUE =
  /\b(nobody|somebody|whoever|whatever|whomever|shall|did nobody|were it|is told|are told|is asked|are asked|is heard|is kept|stays? with|leads? back)\b/i;

/** Words that are no names: participles, and words of a translation (docs/style.md). */
const RETIRED = new Set(
  'told heard asked kept wanted fresh said doubt patience desk thing things standing again tend parted chosen choosing'.split(
    ' ',
  ),
);
const DECLARED = /\b(?:const|let|function|type|class|interface)\s+([A-Za-z_$][\w$]*)/;

const proseIn = (row: string): string | undefined =>
  (COMMENT.exec(row) ?? INLINE_COMMENT.exec(row) ?? TITLE.exec(row))?.[1];

const wordsOf = (name: string): string[] =>
  name
    .split(/(?=[A-Z])|_/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());

/** Comments and test names are plain technical English: subject, verb, object. */
export const plainProse: Rule = (sources) =>
  [...sources]
    .filter(([file]) => file !== 'tests/architecture/prose.test.ts')
    .flatMap(([file, text]) =>
      text.split('\n').flatMap((row, at) => {
        const prose = proseIn(row)?.replaceAll(CODE, '');
        if (prose === undefined) return [];
        const begins = prose.replace(/^@\w+\s+(\{.*?\}\s*)?(\w+\s+)?/, '');
        const isTitle = !COMMENT.test(row) && TITLE.test(row);
        const found =
          CLAUSE.exec(begins)?.[1] ??
          (isTitle ? CLAUSE_IN_TITLE.exec(prose)?.[1] : undefined) ??
          VAGUE.exec(prose)?.[1];
        return found === undefined
          ? []
          : [`${file}:${at + 1} says "${found}": write subject, verb, object (docs/style.md)`];
      }),
    );

/** Declarations have the field's terms. */
export const plainNames: Rule = (sources) =>
  [...sources]
    .filter(([file]) => file.startsWith('src/') && !isTest(file))
    .flatMap(([file, text]) =>
      text.split('\n').flatMap((row, at) => {
        const name = COMMENT.test(row) ? undefined : DECLARED.exec(row)?.[1];
        const retired = name === undefined ? undefined : wordsOf(name).find((w) => RETIRED.has(w));
        return retired === undefined
          ? []
          : [`${file}:${at + 1} declares ${name}: "${retired}" is not a term (docs/style.md)`];
      }),
    );
