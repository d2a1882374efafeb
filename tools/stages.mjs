/** The stages of `npm test`: each counts passes and failures, and a failure stops none. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { check } from './check.mjs';
import { Unready, alone, build, bundleServer, root, serverEntry } from './ready.mjs';
import { size } from './size.mjs';
import { secondTry, slowest, triedTwice } from './results.mjs';

/** Adds the tests that need not run at every change. */
const ALL = '--all';
const runsAll = () => process.env.TEST_ALL === '1';

const stages = [
  { name: 'build', run: (context) => built(context) },
  { name: 'check', run: ({ node }) => check(node) },
  {
    name: 'unit',
    run: (context) =>
      withPgbouncer(() => withLanguages(() => vitest(context, ['unit', 'unit-apart', 'chaos']))),
  },
  { name: 'components', run: (context) => withChromium(() => browsed(context, 'components')) },
  { name: 'size', run: (context) => weigh(context) },
  {
    name: 'journeys',
    run: (context) => withChromium(() => withFirefox(() => browsed(context, 'journeys'))),
  },
  { name: 'chaos', run: (context) => vitest(context, ['chaos-alone']) },
];

/**
 * Runs the stages, all of them or those named, and prints the one line that sums them up.
 *
 * @param given names of stages; `--all` adds what `npm test` leaves out (`vitest.config.ts`).
 * @returns the exit code: 0 when everything passed.
 */
export async function runStages(node, given) {
  const isAll = given.includes(ALL);
  if (isAll) process.env.TEST_ALL = '1';
  const names = given.filter((name) => name !== ALL);
  const context = {
    node,
    folder: mkdtempSync(join(tmpdir(), 'kabari-results-')),
    files: [],
    again: [],
  };
  const total = { passed: 0, failed: 0 };
  const unknown = names.find((name) => !stages.some((stage) => stage.name === name));
  if (unknown) process.stdout.write(`There is no stage ${unknown}.\n`);
  announce(names);
  for (const { name, run } of stages) {
    if (names.length > 0 && !names.includes(name)) continue;
    const began = performance.now();
    process.stdout.write(`\n▸ ${name}\n`);
    const { passed, failed, skipped = 0 } = await run(context).catch(broken);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    const rest = `${failed > 0 ? `, ${failed} broken` : ''}${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    process.stdout.write(
      `${failed > 0 ? '✗' : '✓'} ${name}: ${passed} held${rest} (${seconds} s)\n`,
    );
    total.passed += passed;
    total.failed += failed;
  }
  if (unknown) total.failed++;
  rmSync(context.folder, { recursive: true, force: true });
  process.stdout.write(slowest(context.files));
  process.stdout.write(triedTwice(context.again));
  process.stdout.write(`\n${total.passed} passed, ${total.failed} failed\n`);
  return total.failed === 0 ? 0 : 1;
}

/** Builds the web app with the gallery for the component tests, and the server that tests start. */
async function built({ node }) {
  await alone(() => {
    build(node, true);
    bundleServer(node);
  });
  return { passed: 1, failed: 0 };
}

/** Weighs the customers' build without the gallery, and leaves it for the journeys. */
async function weigh({ node }) {
  await alone(() => build(node, false));
  const { passed, failed } = await size();
  const manifest = JSON.parse(readFileSync(join(root, 'dist/.vite/manifest.json'), 'utf8'));
  const gallery = Object.keys(manifest).some((key) => key.startsWith('stories/'));
  process.stdout.write(`  ${gallery ? '✗ the gallery is' : '✓ the gallery is not'} part of it\n`);
  return { passed: passed + (gallery ? 0 : 1), failed: failed + (gallery ? 1 : 0) };
}

function broken(error) {
  process.stdout.write(`${error instanceof Unready ? error.message : (error.stack ?? error)}\n`);
  return { passed: 0, failed: 1 };
}

/**
 * Runs projects of Vitest, or some files of them. A run that breaks outside its tests counts as one failure.
 *
 * @returns the counts, and the failed files; the duration of each file is recorded in the context
 */
async function vitest(context, projects, files = []) {
  const results = join(context.folder, `${projects[0]}${files.length}.json`);
  const program = join(root, 'node_modules/vitest/vitest.mjs');
  const chosen = projects.flatMap((project) => ['--project', project]);
  const given = ['run', ...chosen, '--reporter=dot', '--reporter=json', ...files];
  const code = await exitOf(context.node, [program, ...given, `--outputFile.json=${results}`]);
  if (!existsSync(results)) return { passed: 0, failed: 1, broken: [] };
  const found = JSON.parse(readFileSync(results, 'utf8'));
  for (const { name, startTime, endTime } of found.testResults) {
    context.files.push({ name: relative(root, name), seconds: (endTime - startTime) / 1000 });
  }
  const failed = found.numFailedTests + (found.numFailedTests === 0 && code !== 0 ? 1 : 0);
  const broken = found.testResults
    .filter(({ status }) => status !== 'passed')
    .map(({ name, assertionResults }) => ({
      name,
      passed: assertionResults.filter(({ status }) => status === 'passed').length,
    }));
  return { passed: found.numPassedTests, failed, skipped: found.numPendingTests, broken };
}

/** Runs a browser project, and reruns the files that `secondTry` allows. */
async function browsed(context, project) {
  const first = await vitest(context, [project]);
  const { broken } = first;
  const names = broken.map(({ name }) => relative(root, name));
  const again = secondTry(names, context.again.length);
  if (again.length === 0) return first;
  context.again.push(...again);
  const second = await vitest(context, [project], again);
  const held = broken.reduce((sum, { passed }) => sum + passed, 0);
  return { ...first, passed: first.passed - held + second.passed, failed: second.failed };
}

const exitOf = (command, given) =>
  new Promise((done, failed) => {
    const child = spawn(command, given, {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        ...process.env,
        SERVER_ENTRY: serverEntry(),
        ...(process.stdout.isTTY ? {} : { NO_COLOR: '1' }),
      },
    });
    child.on('error', failed).on('exit', (code) => done(code ?? 1));
  });

const chromiums = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  String.raw`C:\Program Files\Google\Chrome\Application\chrome.exe`,
];
const shells = ['/usr/bin/chromium-headless-shell'];
const firefoxes = [
  '/usr/bin/firefox-esr',
  '/usr/bin/firefox',
  '/Applications/Firefox.app/Contents/MacOS/firefox',
  String.raw`C:\Program Files\Mozilla Firefox\firefox.exe`,
];

/** The Debian packages that stages need, and the paths of their programs. */
const debianPackages = {
  chromium: { stages: ['components', 'journeys'], variable: 'CHROMIUM', paths: chromiums },
  'chromium-headless-shell': {
    stages: ['components', 'journeys'],
    variable: 'CHROMIUM_SHELL',
    paths: shells,
  },
  'firefox-esr': { isOfAll: true, stages: ['journeys'], variable: 'FIREFOX', paths: firefoxes },
  pgbouncer: { stages: ['unit'], variable: 'PGBOUNCER', paths: ['/usr/sbin/pgbouncer'] },
  'php-cli': { isOfAll: true, stages: ['unit'], proofs: [['php', '-v']] },
  'php-curl': {
    isOfAll: true,
    stages: ['unit'],
    proofs: [['php', '-r', 'exit(extension_loaded("curl") ? 0 : 1);']],
  },
  'python3-requests': {
    isOfAll: true,
    stages: ['unit'],
    proofs: ['python3', '/usr/bin/python3'].map((python) => [python, '-c', 'import requests']),
  },
  curl: { isOfAll: true, stages: ['unit'], proofs: [['curl', '--version']] },
};

const mayInstall = process.getuid?.() === 0 && existsSync('/etc/debian_version');

/** A program's path: from the environment, a usual path, or a working name; else `undefined`. */
const placeOf = ({ variable = '', paths = [], proofs = [] }) =>
  process.env[variable] ||
  paths.find((path) => existsSync(path)) ||
  proofs.find(([program, ...given]) => works(program, given))?.[0];

const works = (program, given) => spawnSync(program, given, { stdio: 'ignore' }).status === 0;

function announce(names) {
  if (!mayInstall) return;
  const missing = Object.entries(debianPackages)
    .filter(([, wanted]) => runsAll() || !wanted.isOfAll)
    .filter(([, wanted]) =>
      wanted.stages.some((stage) => names.length === 0 || names.includes(stage)),
    )
    .filter(([, wanted]) => !placeOf(wanted))
    .map(([name]) => name);
  if (missing.length === 0) return;
  process.stdout.write(
    `These tests need programs that are not here; as root, they are installed from Debian with apt-get: ${missing.join(', ')}.\n`,
  );
}

/** A program's path: the named one, an installed one, or Debian's, which root installs with apt. */
function findProgram(name) {
  const wanted = debianPackages[name];
  if (placeOf(wanted)) return placeOf(wanted);
  if (mayInstall) {
    process.stdout.write(`Installing ${name} …\n`);
    const apt = (...given) =>
      spawnSync('apt-get', ['-qq', ...given], {
        stdio: ['ignore', 'ignore', 'inherit'],
        // In run level 1 Debian starts no service of a new package.
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
      }).status;
    apt('update');
    apt('install', '--yes', '--no-install-recommends', name);
  }
  return placeOf(wanted);
}

/** A real pooler for the tests of the database; without one they are skipped. */
function withPgbouncer(run) {
  if (!findProgram('pgbouncer')) {
    process.stdout.write(
      'Without pgbouncer the tests of poolers are skipped. Run `sudo apt-get install pgbouncer` (Debian, Ubuntu) to have them.\n',
    );
  }
  return run();
}

/** The programs that run the documents' samples; samples without their language are skipped. */
function withLanguages(run) {
  if (!runsAll()) return run();
  const missing = ['php-cli', 'php-curl', 'python3-requests', 'curl'].filter(
    (name) => !findProgram(name),
  );
  if (missing.length > 0) {
    process.stdout.write(
      `Without ${missing.join(', ')} the programs of docs/dialects.md in that language are skipped. Run \`sudo apt-get install ${missing.join(' ')}\` (Debian, Ubuntu) to have them.\n`,
    );
  }
  return run();
}

/**
 * Chromium, and on Debian the one without a window system: it shows the same pages in half the time, but has no notices
 * and cannot install an app.
 */
async function withChromium(run) {
  const chromium = findProgram('chromium');
  if (!chromium || !existsSync(chromium)) {
    process.stdout.write(
      'These tests need Chromium. Run `sudo apt-get install chromium` (Debian, Ubuntu) or ' +
        '`brew install --cask chromium` (macOS), or set CHROMIUM to where it is.\n',
    );
    return { passed: 0, failed: 1 };
  }
  process.env.CHROMIUM = chromium;
  const shell = findProgram('chromium-headless-shell');
  process.env.CHROMIUM_SHELL = shell ?? chromium;
  return run();
}

async function withFirefox(run) {
  if (!runsAll()) return run();
  const firefox = findProgram('firefox-esr');
  if (!firefox || !existsSync(firefox)) {
    process.stdout.write(
      'These tests need Firefox. Run `sudo apt-get install firefox-esr` (Debian) or ' +
        '`brew install --cask firefox` (macOS), or set FIREFOX to where it is.\n',
    );
    return { passed: 0, failed: 1 };
  }
  process.env.FIREFOX = firefox;
  return run();
}
