import { join } from 'node:path';
import type { Rolldown } from 'vite';

type Group = Rolldown.CodeSplittingGroup;
type Graph = Pick<Rolldown.ChunkingContext, 'getModuleInfo'>;

const web = join(import.meta.dirname, '../src/web');

const libraries = new RegExp(
  [
    'node_modules/(?:react|react-dom|scheduler|use-sync-external-store)/',
    // Two of them are for one page that few see.
    'node_modules/@tanstack/(?:[a-z]+-router|router-core|[a-z]+-query|query-core|history|[a-z-]*store)/(?!.*/(?:queriesObserver|useQueries))',
    'lucide-react/dist/esm/(?:shared|Icon|createLucide|context)',
    'preload-helper|rolldown/runtime',
    'src/web/client/(?:errors|calls|key|session|query|user|search|redirect)\\.ts',
    'src/web/ui/(?:Button|PageTitle|Spinner|toasts|announce|rules/classes)\\.',
  ].join('|'),
);

/** The fields of the sign-in page, which other forms share: five files would cost it 1 kB more. */
const fields: Group = {
  name: 'fields',
  test: new RegExp(
    [
      'src/web/client/(?:useForm|wrongFields)\\.',
      'src/web/ui/(?:Field|PhoneField|PasswordField|rules/phone)\\.',
      'src/web/features/auth/(?:useCaptcha|CaptchaLine|TypedPhoneField|auth\\.module)\\.',
      'lucide-react/dist/esm/icons/shield\\.',
    ].join('|'),
  ),
};

/**
 * What many pages share, in pieces of 20 kB or more. What few share stays apart, so that a lazy piece
 * brings only its own.
 */
const shared: Group = {
  name: 'shared',
  test: /./,
  minShareCount: 5,
  entriesAware: true,
  entriesAwareMergeThreshold: 20_000,
};

const icons = join(import.meta.dirname, '../node_modules/lucide-react/dist/esm');

/** The icons that a module names: its imports only say that they come out of the one list of all. */
function iconsIn(code: string | null): string[] {
  const names = /import\s*\{([^}]*)\}\s*from\s*['"]lucide-react['"]/.exec(code ?? '')?.[1] ?? '';
  return [...names.matchAll(/(\w+)(?:\s+as\s+\w+)?/g)].map(([, name = '']) => {
    const file = name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[a-zA-Z])(?=\d)/g, '-').toLowerCase();
    return join(icons, `icons/${file}.mjs`);
  });
}

/** Every module that these need before they run, themselves included; with `later`, all they ever ask for. */
function behind(starts: readonly string[], graph: Graph, later = false): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [...starts];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const module =
      found.has(id) || id.startsWith(join(icons, 'lucide-react')) ? null : graph.getModuleInfo(id);
    if (!module) continue;
    found.add(id);
    open.push(...module.importedIds, ...iconsIn(module.code));
    if (later) open.push(...module.dynamicallyImportedIds);
  }
  return found;
}

const of = (...files: string[]) => files.map((file) => join(web, file));

/** Who has not signed in sees these; a phone that scans, too. None of them may bring the frame. */
const outside = of(
  'features/auth/ForgotChangePage.tsx',
  'features/auth/ForgotOtpPage.tsx',
  'features/auth/ForgotPhonePage.tsx',
  'features/auth/LoginPage.tsx',
  'features/auth/RegisterPage.tsx',
  'features/auth/VerifyOtpPage.tsx',
  'features/scan/ScanPage.tsx',
  'features/shell/LeavingPage.tsx',
  'features/shell/NotFoundPage.tsx',
);

type Part = 'core' | 'common' | 'frame';

/** What belongs to the signed-in frame: in which part, by whether pages without it need it, too. */
function partsOf(graph: Graph): ReadonlyMap<string, Part> {
  const first = behind(of('main.tsx'), graph);
  const before = behind(outside, graph, true);
  const part = (id: string) => (first.has(id) ? 'core' : before.has(id) ? 'common' : 'frame');
  return new Map(
    [...behind(of('features/shell/AppLayout.tsx'), graph)].map((id) => [id, part(id)]),
  );
}

/**
 * What every screen needs in one file, for many small ones compress worse; then the signed-in frame in two,
 * of which pages before it need one. As a file for each shared module the first signed-in screen was 70
 * links, and writing those took a phone longer than running what they bring.
 */
function coreAndFrame(): Group[] {
  let known: ReadonlyMap<string, Part> | undefined;
  const parts = (graph: Graph) => (known ??= partsOf(graph));
  return [
    {
      debugName: 'core',
      name: (id, graph) =>
        libraries.test(id) || parts(graph).get(id) === 'core' ? 'core' : undefined,
    },
    fields,
    // Each holds all that its modules need, or an earlier one does.
    { debugName: 'frame', name: (id, graph) => parts(graph).get(id) },
  ];
}

/**
 * How the web app is cut into files. `npm run size` weighs them, and sees that no two import each other:
 * what one of them needs at once would not be there yet.
 *
 * @param gallery the build that shows every piece: there nothing is merged that pages share, for the
 *   gallery shares it all.
 */
export const chunkGroups = (gallery: boolean): Group[] =>
  gallery ? coreAndFrame().slice(0, 2) : [...coreAndFrame(), shared];

/** A shared piece by a short name: the bundler's own lists every page that uses it. */
export const fileName = (name = ''): string =>
  `assets/${name.startsWith('shared~') ? 'shared' : '[name]'}-[hash]`;
