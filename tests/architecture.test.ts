import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test as plain } from 'vitest';
import { acts } from '#contract/acts.ts';
import { refusals } from '#contract/base/refusals.ts';
import { actHandlers } from '#server/app/acts.ts';
import { test } from './support/app/running-app.ts';

const root = resolve(import.meta.dirname, '..');

/**
 * Which room may know which. A domain is known to others only by its face, `ledger/ledger.ts`; what
 * is not named here knows the contract and the platform. See docs/ARCHITECTURE.md.
 */
const mayKnow: Record<string, readonly string[]> = {
  contract: [],
  'server/platform': ['contract'],
  'server/doors': ['contract', 'server/platform'],
  'server/domains/tokens': ['accounts'],
  'server/domains/channels': ['accounts', 'tokens'],
  'server/domains/messages': ['ledger', 'tokens', 'channels', 'pricing'],
  'server/domains/billing': ['ledger', 'accounts', 'pricing'],
  'server/domains/support': ['accounts'],
  'server/domains/notifications': ['accounts'],
  'server/domains/push': ['accounts'],
  'server/domains/simulator': ['channels', 'tokens'],
  'server/domains/operator': ['*'],
  server: ['contract', 'server/platform', 'server/doors', '*'],
  web: ['contract'],
};

/** Longer than 400 lines, and why that is better than two files. */
const mayBeLong: Record<string, string> = {};

const LINES_MAX = 400;

async function filesIn(folder: string, ends: RegExp): Promise<string[]> {
  const found = await readdir(join(root, folder), { recursive: true }).catch(() => []);
  return found
    .map((file) => posix.join(folder, file.split(sep).join('/')))
    .filter((file) => ends.test(file) && !/(^|\/)\./.test(file));
}

const textOf = (file: string): Promise<string> => readFile(join(root, file), 'utf8');
const isTest = (file: string): boolean => /\.(test|spec)\.tsx?$/.test(file);

/** `server/domains/messages/send.ts` → `server/domains/messages`; the composition root is `server`. */
function roomOf(place: string): string {
  const [first = '', second = '', third = ''] = place.split('/');
  if (first !== 'server' || second.endsWith('.ts')) return first;
  return second === 'domains' ? `server/domains/${third}` : `server/${second}`;
}

/** What an import names, as a place under `src`; `undefined` for packages. */
function placeOf(imported: string, file: string): string | undefined {
  if (imported.startsWith('#')) return imported.slice(1);
  if (!imported.startsWith('.')) return undefined;
  const path = resolve(root, dirname(file), imported);
  return relative(join(root, 'src'), path).split(sep).join('/');
}

/** Why a room may not know a place; `undefined` when it may. */
function trespass(room: string, place: string): string | undefined {
  const other = roomOf(place);
  if (other === room) return undefined;
  const known = mayKnow[room] ?? ['contract', 'server/platform'];
  const isDomain = room.startsWith('server/domains/');
  const rooms = isDomain ? [...known, 'contract', 'server/platform'] : known;
  if (!other.startsWith('server/domains/')) {
    return rooms.includes(other)
      ? undefined
      : `${room} may know ${rooms.join(', ') || 'itself only'}`;
  }
  const domain = other.slice('server/domains/'.length);
  if (!rooms.includes(domain) && !rooms.includes('*')) return `${room} may not know ${domain}`;
  const face = `${other}/${domain}.ts`;
  return place === face ? undefined : `${domain} is known by its face ${face} only`;
}

const importing =
  /(?:^|\n)\s*(?:import|export)\b[^'";]*?from\s*'([^']+)'|import\(\s*'([^']+)'\s*\)/g;

function importsOf(text: string): string[] {
  return [...text.matchAll(importing)].map(([, fixed, lazy]) => fixed ?? lazy ?? '');
}

describe('the rooms', () => {
  plain('every import goes the way the house allows', async () => {
    const trespasses: string[] = [];
    for (const file of await filesIn('src', /\.tsx?$/)) {
      if (isTest(file)) continue;
      const room = roomOf(file.slice('src/'.length));
      for (const imported of importsOf(await textOf(file))) {
        const place = placeOf(imported, file);
        const why = place === undefined ? undefined : trespass(room, place);
        if (why !== undefined) trespasses.push(`${file} imports ${imported}: ${why}`);
      }
    }
    expect(trespasses).toEqual([]);
  });

  plain('the contract knows zod and itself, the web nothing of Node', async () => {
    const strangers: string[] = [];
    for (const file of await filesIn('src', /\.tsx?$/)) {
      if (isTest(file)) continue;
      for (const imported of importsOf(await textOf(file))) {
        if (/^[.#]/.test(imported)) continue;
        const wrong =
          (file.startsWith('src/contract/') && imported !== 'zod/mini') ||
          (file.startsWith('src/web/') && imported.startsWith('node:'));
        if (wrong) strangers.push(`${file} imports ${imported}`);
      }
    }
    expect(strangers).toEqual([]);
  });

  plain('another room is named, never climbed to with ../', async () => {
    const climbs: string[] = [];
    for (const folder of ['src', 'tests', 'bench', 'tools']) {
      for (const file of await filesIn(folder, /\.(tsx?|mjs)$/)) {
        const climbing = importsOf(await textOf(file)).filter((name) => name.startsWith('../'));
        climbs.push(...climbing.map((name) => `${file} imports ${name}`));
      }
    }
    expect(climbs).toEqual([]);
  });
});

describe('the files', () => {
  plain('have names that say what is in them: no utils, types, helpers or barrels', async () => {
    const vague = /(^|\/)(utils?|helpers?|types|common|misc|index)(\.tsx?$|\/)/;
    const files = await filesIn('src', /\.tsx?$/);
    expect(files.filter((file) => vague.test(file))).toEqual([]);
  });

  plain('hand nothing on that is not theirs, except the face of a domain', async () => {
    const barrels: string[] = [];
    for (const file of await filesIn('src', /\.tsx?$/)) {
      const [, domain] = /^src\/(?:server\/domains|web\/features)\/(\w+)\/\1\.ts$/.exec(file) ?? [];
      const text = await textOf(file);
      if (
        domain === undefined &&
        /(^|\n)export\s+(\*|\{[^}]*\}|type\s*\{[^}]*\})\s*from/.test(text)
      ) {
        barrels.push(file);
      }
      if (/(^|\n)export\s+\*/.test(text)) barrels.push(file);
    }
    expect(barrels).toEqual([]);
  });

  // The build takes calls by these names away when nobody uses what they return (vite.config.ts).
  plain('call nothing of their own by the names that the build takes for pure', async () => {
    const lost: string[] = [];
    for (const file of await filesIn('src/web', /\.tsx?$/)) {
      const text = await textOf(file);
      const calls = /(^|[^.\w])(act|paging|z)\(/m.test(text);
      if (calls && !text.includes("from '#contract/base/act.ts'")) lost.push(file);
    }
    expect(lost).toEqual([]);
  });

  plain('have no default export', async () => {
    const defaults: string[] = [];
    for (const file of await filesIn('src', /\.tsx?$/)) {
      if (/(^|\n)export\s+default\b/.test(await textOf(file))) defaults.push(file);
    }
    expect(defaults).toEqual([]);
  });

  plain(`have ${LINES_MAX} lines at most`, async () => {
    const long: string[] = [];
    for (const folder of ['src', 'tests', 'bench', 'tools']) {
      for (const file of await filesIn(folder, /\.(tsx?|mjs|css)$/)) {
        const lines = (await textOf(file)).trimEnd().split('\n').length;
        if (lines > LINES_MAX && !(file in mayBeLong)) long.push(`${file}: ${lines} lines`);
      }
    }
    expect(long).toEqual([]);
  });

  plain('are finished: nothing is left for later', async () => {
    const later: string[] = [];
    for (const folder of ['src', 'bench', 'tools']) {
      for (const file of await filesIn(folder, /\.(tsx?|mjs|css|sql)$/)) {
        if (/\b(TODO|FIXME|XXX)\b/.test(await textOf(file))) later.push(file);
      }
    }
    expect(later).toEqual([]);
  });

  // A cropped avatar was decoded before it is shown, and a broken picture without a name shows nothing.
  const decoded = ['src/web/features/profile/avatar/CropStage.tsx'];
  plain('of the web know what stands in the place of a picture that cannot be loaded', async () => {
    const helpless: string[] = [];
    for (const file of await filesIn('src/web', /\.tsx$/)) {
      for (const [tag] of (await textOf(file)).matchAll(/<img\b(?:[^>]|=>)*?\/>/g)) {
        if (!tag.includes('onError') && !decoded.includes(file)) helpless.push(`${file}: ${tag}`);
      }
    }
    expect(helpless).toEqual([]);
  });

  plain('of the web let no browser cut off what is pasted', async () => {
    const cutting: string[] = [];
    for (const file of await filesIn('src/web', /\.tsx$/)) {
      for (const [tag] of (await textOf(file)).matchAll(/<(?:input|textarea)\b(?:[^>]|=>)*?\/>/g)) {
        if (tag.includes('maxLength')) cutting.push(`${file}: ${tag}`);
      }
    }
    expect(cutting).toEqual([]);
  });

  plain('of the web never make HTML or code out of text', async () => {
    const ways =
      /\b(innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|eval\(|new Function\()/;
    const makers: string[] = [];
    for (const file of await filesIn('src/web', /\.tsx?$/)) {
      if (!isTest(file) && ways.test(await textOf(file))) makers.push(file);
    }
    expect(makers).toEqual([]);
  });
});

describe('the contract', () => {
  test('every act is kept, exactly once', async ({ openApp }) => {
    const { container } = await openApp();
    const kept = actHandlers(container).map(({ act }) => act.name);
    expect(kept.toSorted()).toEqual(acts.map(({ name }) => name).toSorted());
    expect(new Set(kept).size).toBe(kept.length);
  });

  plain('the name of an act is entity_verb, and belongs to one act', () => {
    const names = acts.map(({ name }) => name);
    expect(names.filter((name) => !/^[a-z]+(_[a-z]+)*$/.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });

  plain('an act promises no refusal twice', () => {
    const twice = acts.filter(({ refuses }) => new Set(refuses).size < refuses.length);
    expect(twice.map(({ name }) => name)).toEqual([]);
  });

  plain('every refusal of the catalogue is said somewhere', async () => {
    const files = (await filesIn('src/server', /\.ts$/)).filter((file) => !isTest(file));
    const text = (await Promise.all(files.map(textOf))).join('\n');
    const unsaid = Object.keys(refusals).filter((code) => !text.includes(`'${code}'`));
    expect(unsaid).toEqual([]);
  });
});

plain('the printed pages are what the code prints today', async () => {
  const printing = promisify(execFile)(process.execPath, ['tools/print-docs.ts', '--check'], {
    cwd: root,
  });
  await expect(printing).resolves.toMatchObject({ stderr: '' });
});

/** What makes a test waver on a machine with other work, and what is there instead: `tests/support/wait-for.ts`. */
const waverings: Record<string, RegExp> = {
  'sleeps in a browser': /\bwaitForTimeout\(/,
  'polls for a second, or for a time of its own': /\.poll\(/,
  'waits for a time of its own': /\bwaitFor(?:Response|Request|Event|URL)?\([^;]*\btimeout: ?\d/,
  'takes a limit of time for a measure': /expect\(performance\.now\(\) - \w+\)/,
  'ends a test after a time of its own': /^ *\}, [\d_]+\);$|, \{ timeout: [\d_]+ \}, async/m,
};

plain(
  'no test hangs on how fast the machine is: waits are for states, with one patience',
  async () => {
    const all = [...(await filesIn('src', /\.ts$/)), ...(await filesIn('tests', /\.ts$/))];
    const tests = all.filter((file) => isTest(file) || file.startsWith('tests/'));
    const wavering = await Promise.all(
      tests
        .filter(
          (file) => !['tests/support/wait-for.ts', 'tests/architecture.test.ts'].includes(file),
        )
        .map(async (file) => {
          const text = await textOf(file);
          const impatient = text
            .split('vi.waitFor(')
            .slice(1)
            .some((rest) => !/\bpatient\b/.test(rest.slice(0, 1_200)));
          const found = Object.keys(waverings).filter((what) => waverings[what]?.test(text));
          return [...found, ...(impatient ? ['waits for a second'] : [])].map(
            (what) => `${file} ${what}`,
          );
        }),
    );
    expect(wavering.flat()).toEqual([]);
  },
);
