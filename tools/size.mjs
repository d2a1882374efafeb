/**
 * `npm run size`: the bytes a browser loads for the first screens, and for each lazy piece, compared with their
 * budgets. `node tools/size.mjs <folder>` checks a build in another folder.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { root } from './ready.mjs';

const KB = 1_024;

/** Each screen: its page, the chunk of its layout besides the entry's, and its budget. */
const budgets = [
  {
    screen: 'login',
    page: 'src/web/features/auth/login/LoginPage.tsx',
    around: 'AuthLayout',
    js: 96 * KB,
    css: 20 * KB,
  },
  {
    screen: 'first signed-in screen',
    page: 'src/web/features/home/HomePage.tsx',
    around: 'frame',
    js: 160 * KB,
    css: 20.5 * KB,
  },
];

/**
 * Lazy pieces: the budget of each chunk alone, in KB. The figures of upload, zoom, telephone numbers and toasts are
 * given (docs/screens.md#bytes); the others may grow by a third.
 */
const pieces = {
  'src/web/ui/upload/UploadWidget.tsx': 40,
  'src/web/ui/media/ZoomLayer.tsx': 6,
  'node_modules/libphonenumber-js/min/index.js': 34.6,
  'src/web/ui/phone/telephoneCountries.ts': 6.5,
  'src/web/ui/phone/TelephoneList.tsx': 2.7,
  'src/web/ui/select/Combobox.tsx': 2.7,
  'src/web/ui/toast/Toaster.tsx': 9,
  'src/web/ui/overlay/ConfirmDialog.tsx': 1.4,
  'src/web/ui/qr/QrImage.tsx': 12,
  'src/web/app/palette/Palette.tsx': 4,
  'src/web/features/messages/conversations/ConversationsView.tsx': 12.7,
  'src/web/features/profile/avatar/AvatarDialog.tsx': 8.7,
  'src/web/features/auth/captcha/captchaRun.ts': 2.7,
};

function needed(manifest, key, found = new Set()) {
  if (!found.has(key)) {
    found.add(key);
    for (const next of manifest[key]?.imports ?? []) needed(manifest, next, found);
  }
  return found;
}

/** A chunk that imports itself through others, if any: they would run in the wrong order. */
function circle(manifest) {
  const behind = (key) =>
    (manifest[key].imports ?? []).reduce((found, next) => needed(manifest, next, found), new Set());
  return Object.keys(manifest).find((key) => behind(key).has(key));
}

const strangers =
  /^src\/web\/(?:features\/(?:auth|scan)\/|app\/(?:pages\/LeavingPage|layout\/AuthLayout))/;

/** A signed-out page that loads parts of the signed-in app, if there is one. */
const intruder = (manifest) =>
  Object.keys(manifest).find(
    (key) =>
      strangers.test(key) &&
      [...needed(manifest, key)].some((one) =>
        ['frame', 'pages', 'styles'].includes(manifest[one].name),
      ),
  );

/** Whether both parts that draw threads begin with the line that has Chromium compile them while they load. */
const compilesThreads = (folder, manifest) =>
  Object.values(manifest).filter(
    ({ file }) =>
      file.endsWith('.js') &&
      readFileSync(join(folder, file), 'utf8').startsWith('//# allFunctionsCalledOnLoad\n'),
  ).length >= 2;

const bytesOf = (folder, files) =>
  [...files].reduce(
    (sum, file) => sum + gzipSync(readFileSync(join(folder, file)), { level: 9 }).length,
    0,
  );

function weigh(folder, keys, manifest) {
  const chunks = [...keys].map((key) => manifest[key]);
  const js = new Set(chunks.map(({ file }) => file).filter((file) => file.endsWith('.js')));
  const css = new Set(chunks.flatMap((chunk) => chunk.css ?? []));
  return { js: bytesOf(folder, js), css: bytesOf(folder, css) };
}

function count(counts, what, bytes, most) {
  const within = bytes <= most;
  counts[within ? 'passed' : 'failed']++;
  const [is, may] = [bytes, most].map((one) => (one / KB).toFixed(1).padStart(6));
  process.stdout.write(`  ${within ? '✓' : '✗'} ${what.padEnd(32)} ${is} of ${may} KB gz\n`);
}

/**
 * Weighs the screens and the lazy pieces, and prints a table.
 *
 * @param folder the folder of the web build.
 * @returns the numbers of budgets met and exceeded.
 */
export async function size(folder = join(root, 'dist')) {
  const file = join(folder, '.vite/manifest.json');
  if (!existsSync(file)) throw new Error('There is no build to weigh; run `npm run build` first.');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  const entries = Object.keys(manifest).filter(
    (key) => manifest[key].isEntry && !key.endsWith('sw.ts'),
  );
  const counts = { passed: 0, failed: 0 };
  for (const { screen, page, around, ...budget } of budgets) {
    const frame = Object.keys(manifest).filter((key) => around && manifest[key].name === around);
    if (!manifest[page] || (around && frame.length !== 1))
      throw new Error(
        `${page} or ${around} is not a separate chunk; update the budget of ${screen}.`,
      );
    const keys = [...entries, page, ...frame];
    const all = keys.reduce((found, key) => needed(manifest, key, found), new Set());
    const weight = weigh(folder, all, manifest);
    for (const kind of ['js', 'css']) {
      count(counts, `${screen}, ${kind}`, weight[kind], budget[kind]);
    }
  }
  for (const [piece, kilobytes] of Object.entries(pieces)) {
    if (!manifest[piece]) throw new Error(`${piece} is not a separate chunk.`);
    const name = piece.split('/').at(piece.startsWith('node_modules/') ? 1 : -1);
    count(counts, `later: ${name}`, bytesOf(folder, [manifest[piece].file]), kilobytes * KB);
  }
  const say = (wrong, fault, held) => {
    counts[wrong ? 'failed' : 'passed']++;
    process.stdout.write(`  ${wrong ? `✗ ${wrong} ${fault}` : `✓ ${held}`}\n`);
  };
  say(circle(manifest), 'imports itself', 'no chunk imports itself');
  say(intruder(manifest), 'brings the frame', 'no page of strangers brings the frame');
  say(
    !compilesThreads(folder, manifest) && 'a chunk of threads',
    'is compiled late',
    'threads are compiled while they load',
  );
  return counts;
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { failed } = await size(process.argv[2]);
  process.exitCode = failed === 0 ? 0 : 1;
}
