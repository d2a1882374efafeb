import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Rolldown } from 'vite';

type Group = Rolldown.CodeSplittingGroup;
type Graph = Pick<Rolldown.ChunkingContext, 'getModuleInfo'>;

const web = join(import.meta.dirname, '../src/web');

const libraries = new RegExp(
  [
    'node_modules/(?:react|react-dom|scheduler|use-sync-external-store)/',
    'node_modules/@tanstack/(?:[a-z]+-query|query-core)/',
    'preload-helper|rolldown/runtime',
    'src/web/(?:api/(?:errors|lazyApi|idempotencyKey|query|user)|browser/(?:whenIdle|session|redirect)|lazyComponent|router/[a-zA-Z]+)\\.tsx?',
    'src/web/features/auth/login/typedPhone\\.',
    'src/contract/base/written-number\\.',
    'src/web/ui/(?:button/(?:Button|Spinner)|announce/announce|layout/PageTitle|form/Field|toast/toasts|classes|icon)\\.',
  ].join('|'),
);

/**
 * Modules of a single page, or rarely used ones, although others import them: parts of libraries, the connection of
 * numbers and the plan, which public files of features export, and what these import. They stay in the chunk of their
 * users, and what only they import does not count as part of a page.
 */
const rare =
  /@tanstack\/.*\/(?:queriesObserver|useQueries)\.js|features\/(?:tokens\/(?:channels|links|queries|samples)|billing)[/.]|contract\/(?:channels|saldo|billing)\.|api\/lists\/flatList\./;

/** The fields of the sign-in page, which other forms share: five files would cost it 1 kB more. */
const fields: Group = {
  name: 'fields',
  test: new RegExp(
    [
      'src/web/ui/form/(?:useForm|fieldErrors)\\.',
      'src/web/ui/(?:form/PasswordField|phone/(?:PhoneField|phone))\\.',
      'src/web/features/auth/(?:captcha/(?:useCaptcha|CaptchaLine)|login/TypedPhoneField|auth\\.module)\\.',
      'lucide-react/dist/esm/icons/shield\\.',
    ].join('|'),
  ),
};

const icons = join(import.meta.dirname, '../node_modules/lucide-react/dist/esm');

/** The file of each icon, by all its names in lucide's index. */
const iconFiles: ReadonlyMap<string, string> = new Map(
  [
    ...readFileSync(join(icons, 'lucide-react.mjs'), 'utf8').matchAll(
      /export \{([^}]*)\} from '(\.\/icons\/[\w-]+\.mjs)'/g,
    ),
  ].flatMap(([, names = '', file = '']) =>
    [...names.matchAll(/default as (\w+)/g)].map(([, name = '']) => [name, join(icons, file)]),
  ),
);

/** The icons that a module names: its imports only refer to the index. */
function iconsIn(code: string | null): string[] {
  const names = /import\s*\{([^}]*)\}\s*from\s*['"]lucide-react['"]/.exec(code ?? '')?.[1] ?? '';
  return [...names.matchAll(/(\w+)(?:\s+as\s+\w+)?/g)].map(([, name = '']) => {
    const file = iconFiles.get(name);
    if (file === undefined) throw new Error(`${name} is not a lucide icon; fix tools/chunks.ts.`);
    return file;
  });
}

const inWeb = (specifier: string): string => join(web, specifier.replace('#web/', ''));

/** The names in braces of each import or export from a file of the app, by its specifier. */
function namesBySpecifier(code: string | null, keyword: 'import' | 'export'): [string, string[]][] {
  const found = (code ?? '').matchAll(
    new RegExp(`${keyword}\\s*\\{([^}]*)\\}\\s*from\\s*['"](#web/[^'"]+)['"]`, 'g'),
  );
  return [...found].map(([, names = '', file = '']) => [
    file,
    names.split(',').flatMap((name) => name.trim() || []),
  ]);
}

/**
 * The modules whose exports a module imports from the public files of features. The others that such a file names cost
 * the page nothing.
 */
function partsIn(code: string | null, graph: Graph): string[] {
  return namesBySpecifier(code, 'import').flatMap(([file, names]) => {
    if (!publicFile.test(file)) return [];
    const places = namesBySpecifier(graph.getModuleInfo(inWeb(file))?.code ?? null, 'export');
    return names.map((imported) => {
      const [name] = imported.split(' as ');
      const place = places.find(([, all]) => all.some((one) => one.split(' as ').at(-1) === name));
      return inWeb(place?.[0] ?? file);
    });
  });
}

/** The public file of a feature: mostly lines such as `export { … } from '…'`. */
const publicFile = /features\/([\w-]+)\/\1\.ts$/;

type Behind = {
  /** Also dynamic imports. */
  later?: boolean;
  /** Modules whose imports are not followed. */
  notBehind?: RegExp;
};

function behind(
  starts: readonly string[],
  graph: Graph,
  { later = false, notBehind }: Behind = {},
): ReadonlySet<string> {
  const lost = starts.find((id) => !graph.getModuleInfo(id));
  if (lost !== undefined)
    throw new Error(`${lost} is not a module of the app; fix tools/chunks.ts.`);
  const found = new Set<string>();
  const open = [...starts];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const module =
      found.has(id) || id.startsWith(join(icons, 'lucide-react')) ? null : graph.getModuleInfo(id);
    if (!module) continue;
    found.add(id);
    if (notBehind?.test(id)) continue;
    const direct = module.importedIds.filter((one) => !publicFile.test(one));
    open.push(...direct, ...iconsIn(module.code), ...partsIn(module.code, graph));
    if (later) open.push(...module.dynamicallyImportedIds);
  }
  return found;
}

const of = (...files: string[]) => files.map((file) => join(web, file));

/** Pages without sign-in, including the scan page. None of them may load the frame. */
export const outside = of(
  'features/auth/forgot/ForgotChangePage.tsx',
  'features/auth/forgot/ForgotOtpPage.tsx',
  'features/auth/forgot/ForgotPhonePage.tsx',
  'features/auth/login/LoginPage.tsx',
  'features/auth/register/RegisterPage.tsx',
  'features/auth/register/VerifyOtpPage.tsx',
  'features/scan/ScanPage.tsx',
  'app/layout/AuthLayout.tsx',
  'app/pages/LeavingPage.tsx',
  'ui/page/NotFoundPage.tsx',
);

export const dailyPages = {
  '/': 'features/home/HomePage.tsx',
  '/token': 'features/tokens/TokensPage.tsx',
  '/message-history': 'features/messages/MessagesPage.tsx',
  '/saldo': 'features/saldo/SaldoPage.tsx',
};

/** The maximum length of a module (characters without comments, before minification) to be bundled unasked. */
const SMALL = 900;

/** Comments do not count: editing them must not move a module to another file. */
const lengthOf = (code: string | null | undefined): number =>
  code?.replaceAll(/\/\*[^]*?\*\//g, '').length ?? SMALL;

/** Modules of operators, broadcasts and threads: never bundled with customers' pages. */
const unasked =
  /\/(?:features\/broadcasts|(?:features|contract)\/(?:operator|support(?!\/AskSupport))|ui\/chat|app\/shells\/OperatorShell)[/.]/;

/** Modules of thread bubbles, which pages with threads share in a file of their own. */
const thread = /\/ui\/chat\//;

/** Small modules that several pages or lazy pieces behind the frame need, except operators'. */
function smallAndShared(graph: Graph): ReadonlySet<string> {
  const known = behind(of('main.tsx'), graph, { later: true });
  const later = new Set(
    [...known].flatMap((id) => graph.getModuleInfo(id)?.dynamicallyImportedIds ?? []),
  );
  const counts = new Map<string, number>();
  for (const start of later) {
    if (unasked.test(start)) continue;
    for (const id of behind([start], graph, { notBehind: thread }))
      counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  const isSmall = (id: string) =>
    !unasked.test(id) && !id.endsWith('.css') && lengthOf(graph.getModuleInfo(id)?.code) < SMALL;
  return new Set([...counts].filter(([id, count]) => count > 1 && isSmall(id)).map(([id]) => id));
}

type Part = 'core' | 'common' | 'frame' | 'pages' | 'styles';

/**
 * The part of each module that the frame needs, or several of its pages. Each part contains all imports of its modules,
 * or an earlier part does.
 */
function partsOf(graph: Graph): ReadonlyMap<string, Part> {
  // Sign-in needs its layout besides the entry.
  const first = behind(of('main.tsx', 'app/layout/AuthLayout.tsx'), graph);
  const before = behind(outside, graph, { later: true });
  const framed = behind(of('app/layout/AppLayout.tsx'), graph);
  const paged = Object.values(dailyPages).map((page) =>
    behind(of(page), graph, { notBehind: rare }),
  );
  // Modules that the first page shares with others cost nothing there.
  const isPaged = (id: string) => {
    const count = paged.filter((one) => one.has(id)).length;
    return count > paged.length / 2 || (count > 1 && paged[0]?.has(id) === true);
  };
  const small = smallAndShared(graph);
  // Its imports would be bundled, too. Modules of the pages before sign-in are excluded: those have few files as it is.
  const comesAlong = (id: string) =>
    small.has(id) &&
    !before.has(id) &&
    [...behind([id], graph)].every((one) => one === id || first.has(one) || framed.has(one));
  const partOf = (id: string): Part | undefined => {
    // A stylesheet costs a phone some 15 ms per request, at any size: all of these share one.
    const outer = first.has(id) || before.has(id);
    if (id.endsWith('.module.css') && !outer) return 'styles';
    if (!framed.has(id) && !isPaged(id) && !comesAlong(id)) return undefined;
    if (first.has(id)) return 'core';
    return before.has(id) ? 'common' : framed.has(id) ? 'frame' : 'pages';
  };
  const parts = new Map<string, Part>();
  for (const id of [framed, ...paged, small].flatMap((needed) => [...needed])) {
    const part = partOf(id);
    if (part && !rare.test(id)) parts.set(id, part);
  }
  return parts;
}

/**
 * Splits the web app into files: modules of every screen; the fields of signing in; the part of the signed-in frame
 * that earlier pages need too, and the rest; modules of several signed-in pages; the styles of the frame and of the
 * daily pages, all in one; and each page and lazy piece by itself. With a file for each shared module the first
 * signed-in screen had 70 links, and writing those took a phone longer than running their code: each link is 1.3 ms of
 * a fast machine's time, before anything loads. So the pages' common file contains the small shared modules of every
 * page. Many small files also compress worse.
 *
 * `npm run size` checks their size, and that no two import each other: static imports in a circle would not be loaded
 * yet.
 */
export function chunkGroups(): Group[] {
  let known: ReadonlyMap<string, Part> | undefined;
  const parts = (graph: Graph) => (known ??= partsOf(graph));
  return [
    {
      debugName: 'core',
      name: (id, graph) =>
        !rare.test(id) && (libraries.test(id) || parts(graph).get(id) === 'core')
          ? 'core'
          : undefined,
    },
    fields,
    {
      debugName: 'styles',
      name: (id, graph) => (parts(graph).get(id) === 'styles' ? 'styles' : undefined),
    },
    { debugName: 'parts', name: (id, graph) => parts(graph).get(id) },
  ];
}
