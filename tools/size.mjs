/**
 * `npm run size`: the bytes a browser loads for the first screens, against their budgets.
 * `node tools/size.mjs <folder>` weighs a build that lies elsewhere.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { root } from './ready.mjs';

const KB = 1_024;

/** Each screen: its page, the layout around it, and what it may cost. */
const budgets = [
  {
    screen: 'login',
    page: 'src/web/features/auth/LoginPage.tsx',
    layout: 'src/web/features/shell/AuthLayout.tsx',
    js: 120 * KB,
    css: 20 * KB,
  },
  {
    screen: 'first signed-in screen',
    page: 'src/web/features/home/HomePage.tsx',
    layout: 'src/web/features/shell/AppLayout.tsx',
    js: 220 * KB,
    css: 20 * KB,
  },
];

/** Everything a chunk needs before it runs: itself and its static imports. */
function needed(manifest, key, found = new Set()) {
  if (!found.has(key)) {
    found.add(key);
    for (const next of manifest[key]?.imports ?? []) needed(manifest, next, found);
  }
  return found;
}

const bytesOf = (folder, files) =>
  [...files].reduce(
    (sum, file) => sum + gzipSync(readFileSync(join(folder, file)), { level: 9 }).length,
    0,
  );

/** JS and CSS of the chunks, each file once. */
function weigh(folder, keys, manifest) {
  const chunks = [...keys].map((key) => manifest[key]);
  const js = new Set(chunks.map(({ file }) => file).filter((file) => file.endsWith('.js')));
  const css = new Set(chunks.flatMap((chunk) => chunk.css ?? []));
  return { js: bytesOf(folder, js), css: bytesOf(folder, css) };
}

/**
 * Weighs the screens and prints a table.
 *
 * @param folder where the web app was built.
 * @returns how many budgets are kept and how many are not.
 */
export async function size(folder = join(root, 'dist')) {
  const file = join(folder, '.vite/manifest.json');
  if (!existsSync(file)) throw new Error('There is no build to weigh; run `npm run build` first.');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  const entries = Object.keys(manifest).filter(
    (key) => manifest[key].isEntry && !key.endsWith('sw.ts'),
  );
  const counts = { passed: 0, failed: 0 };
  for (const { screen, page, layout, ...budget } of budgets) {
    if (!manifest[page])
      throw new Error(`${page} is no chunk of its own; name the page of ${screen}.`);
    // A layout that several pages import outright is part of a chunk they share.
    const keys = [...entries, page, layout].filter((key) => manifest[key]);
    const all = keys.reduce((found, key) => needed(manifest, key, found), new Set());
    const weight = weigh(folder, all, manifest);
    for (const kind of ['js', 'css']) {
      const kept = weight[kind] <= budget[kind];
      counts[kept ? 'passed' : 'failed']++;
      const [is, may] = [weight[kind], budget[kind]].map((bytes) =>
        (bytes / KB).toFixed(1).padStart(6),
      );
      process.stdout.write(
        `  ${kept ? '✓' : '✗'} ${`${screen}, ${kind}`.padEnd(30)} ${is} of ${may} KB gz\n`,
      );
    }
  }
  return counts;
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { failed } = await size(process.argv[2]);
  process.exitCode = failed === 0 ? 0 : 1;
}
