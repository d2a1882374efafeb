import { type Rule, type Sources, importsOf, isTest, sourcesIn } from './sources.ts';
import { functionsOf } from './sql.ts';

const SQL_FUNCTION_LINES_MAX = 120;

const linesOf = (text: string): number => text.trimEnd().split('\n').length;

export const shortFunctions: Rule = (sources) =>
  sourcesIn(sources, 'src/server', /\.sql$/).flatMap(([file, text]) =>
    functionsOf(text)
      .filter((one) => linesOf(one.text) > SQL_FUNCTION_LINES_MAX)
      .map(
        (one) =>
          `${file}: ${one.name}() has ${linesOf(one.text)} lines: call functions for its steps, ${SQL_FUNCTION_LINES_MAX} at most`,
      ),
  );

const vague = /(^|\/)(utils?|helpers?|types|common|misc|index)(\.tsx?$|\/)/;

export const descriptiveNames: Rule = (sources) =>
  [...sources.keys()]
    .filter((file) => file.startsWith('src/') && vague.test(file))
    .map((file) => `${file} does not describe its content: name it by its subject`);

const publicFile = /^src\/(?:server\/domains(?:\/channels)?|web\/features)\/([\w-]+)\/\1\.ts$/;

export const noBarrels: Rule = (sources) =>
  sourcesIn(sources, 'src')
    .filter(([file, text]) =>
      publicFile.test(file)
        ? /^export\s+\*/m.test(text)
        : /^export\s+(?:\*|(?:type\s*)?\{[^}]*\}\s*from\b)/m.test(text),
    )
    .map(([file]) => `${file} re-exports another file's names: import them from that file`);

export const noDefaultExports: Rule = (sources) =>
  sourcesIn(sources, 'src')
    .filter(([, text]) => /^export\s+default\b/m.test(text))
    .map(([file]) => `${file} has a default export: give it a name, the same everywhere`);

export const finished: Rule = (sources) =>
  [...sources]
    .filter(([file]) => !file.startsWith('tests/'))
    .filter(([, text]) => /\b(?:TODO|FIXME|XXX)\b/.test(text))
    .map(([file]) => `${file} has unfinished work: finish it, or write an issue`);

/** The build removes calls by these names if their result is unused (vite.config.ts). */
export const noPureNames: Rule = (sources) =>
  sourcesIn(sources, 'src/web')
    .filter(([, text]) => /(^|[^.\w])(act|paging|endpoint|noted|z)\(/m.test(text))
    .filter(([, text]) => !importsOf(text).includes('#contract/base/act.ts'))
    .map(
      ([file]) =>
        `${file} calls act(), paging(), endpoint(), noted() or z(): the build drops such calls, rename it`,
    );

/** Exempt: an avatar to crop is already decoded; a broken picture without a name shows nothing. */
const decoded = ['src/web/features/profile/avatar/AvatarDialog.tsx'];

const tagsIn = (sources: Sources, tag: RegExp): [string, string][] =>
  sourcesIn(sources, 'src/web', /\.tsx$/).flatMap(([file, text]) =>
    [...text.matchAll(tag)].map(([found]): [string, string] => [file, found]),
  );

export const brokenPicturesReplaced: Rule = (sources) =>
  tagsIn(sources, /<img\b(?:[^>]|=>)*?\/>/g)
    .filter(([file, tag]) => !tag.includes('onError') && !decoded.includes(file))
    .map(([file, tag]) => `${file}: ${tag}: replace a broken picture with onError`);

export const pastedTextIsWhole: Rule = (sources) =>
  tagsIn(sources, /<(?:input|textarea)\b(?:[^>]|=>)*?\/>/g)
    .filter(([, tag]) => tag.includes('maxLength'))
    .map(
      ([file, tag]) => `${file}: ${tag}: maxLength cuts pasted text, let the validation refuse it`,
    );

const making =
  /\b(innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|eval\(|new Function\()/;

export const noHtmlFromText: Rule = (sources) =>
  sourcesIn(sources, 'src/web')
    .filter(([, text]) => making.test(text))
    .map(([file]) => `${file} turns text into HTML or code: render elements`);

const flakyPatterns: Record<string, RegExp> = {
  'sleeps in a browser': /\bwaitForTimeout\(/,
  'waits for a second': /\bvi\.waitFor\(/,
  'polls for a second, or with its own timeout': /\.poll\(/,
  'waits with its own timeout': /\bwaitFor(?:Response|Request|Event|URL)?\([^;]*\btimeout: ?\d/,
  'uses a time limit as a measurement': /expect\(performance\.now\(\) - \w+\)/,
  'sets its own test timeout': /^ *\}, [\d_]+\);$|, \{ timeout: [\d_]+ \}, async/m,
};
const WAITS = 'tests/support/wait-for.ts';

export const waitForStates: Rule = (sources) =>
  [...sources]
    .filter(
      ([file]) => (isTest(file) && /^(?:src|stories)\//.test(file)) || file.startsWith('tests/'),
    )
    .filter(
      ([file]) => file.endsWith('.ts') && file !== WAITS && !file.startsWith('tests/architecture/'),
    )
    .flatMap(([file, text]) => {
      const found = Object.keys(flakyPatterns).filter((what) => flakyPatterns[what]?.test(text));
      return found.map((what) => `${file} ${what}: wait for a state, with ${WAITS}`);
    });

/** Registered numbers of journeys at the shared product: a second file would read the codes of the first. */
export const distinctJourneyPhones: Rule = (sources) => {
  const owners = new Map<string, string>();
  return [...sources]
    .filter(
      ([file, text]) => file.startsWith('tests/journeys/') && /setUpSharedJourney\(\)/.test(text),
    )
    .flatMap(([file, text]) =>
      [...text.matchAll(/\bsignUp\([^)]*phone: '(\d+)'/g)].flatMap(([, phone = '']) => {
        const owner = owners.get(phone) ?? file;
        owners.set(phone, owner);
        return owner === file ? [] : [`${file} registers ${phone}, as ${owner} does`];
      }),
    );
};
