/**
 * The first step of `npm start` and `npm test`, on the machine's own Node (20 or newer): installs the lockfile's
 * packages, picks the Node to run with, builds the web app, and continues. Plain JavaScript without dependencies:
 * nothing may be installed yet.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants, tmpdir } from 'node:os';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const NODE_MAJOR = 26;
const windows = process.platform === 'win32';

/** Ends with one sentence for the caller, without a stack. */
export class Unready extends Error {}

const say = (words) => process.stderr.write(`${words}\n`);

function readLockfile(path) {
  const { packages = {} } = JSON.parse(readFileSync(join(root, path), 'utf8'));
  return new Map(Object.entries(packages).filter(([place]) => place !== ''));
}

/** True for packages that are limited to some systems including this one. */
function isForHere({ os, cpu, libc }) {
  if (!os && !cpu) return false;
  const fits = (wanted, own) => !wanted || [wanted].flat().includes(own());
  return (
    fits(os, () => process.platform) &&
    fits(cpu, () => process.arch) &&
    fits(libc, () => (process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl'))
  );
}

/**
 * Packages that `package-lock.json` names and `node_modules` lacks, as `{ name, dev }`; npm leaves optional ones out
 * silently.
 */
function missingPackages() {
  const names = [...readLockfile('package-lock.json')];
  const installed = 'node_modules/.package-lock.json';
  // npm writes it last: without it an install was interrupted, or never begun.
  const there = existsSync(join(root, installed)) ? readLockfile(installed) : new Map();
  process.report.excludeNetwork = true;
  return names
    .filter(([place, wanted]) =>
      there.has(place)
        ? there.get(place).version !== wanted.version
        : !wanted.optional || isForHere(wanted),
    )
    .map(([place, { dev = false }]) => ({ name: place.replace(/^.*node_modules\//, ''), dev }));
}

/** npm as it was called, or the one on the path. */
function npm(args) {
  const script = process.env.npm_execpath;
  const runner = process.env.npm_node_execpath;
  const byScript = script?.endsWith('.js') && existsSync(script) && runner && existsSync(runner);
  const [command, before] = byScript ? [runner, [script]] : [windows ? 'npm.cmd' : 'npm', []];
  return spawnSync(command, [...before, ...args], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: !byScript && windows,
    env: { ...process.env, npm_config_loglevel: 'error' },
  }).status;
}

/**
 * Installs missing or stale packages of the lockfile with `npm ci`, which starts from nothing, so a partial install
 * does no harm. No package needs its install script.
 */
function install(missing = missingPackages()) {
  if (missing.length === 0) return;
  if (windows && process.execPath.startsWith(join(root, 'node_modules'))) {
    throw new Unready('Run `npm ci` and start again: Windows cannot replace a running Node.');
  }
  say(
    `Installing into node_modules what package-lock.json names, with npm ci: ${missing.length} packages …`,
  );
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund'];
  const code = npm(['ci', ...flags, '--include=dev', '--include=optional']);
  const left = code === 0 ? missingPackages() : missing;
  if (left.length === 0) return;
  throw new Unready(
    code === 0
      ? `npm could not install ${left.map(({ name }) => name).join(', ')}; check that it reaches its registry, and start again.`
      : 'npm could not install the packages of package-lock.json; fix its error above and start again.',
  );
}

/** The paths of the pinned Node; the one for Apple Silicon has a name of its own. */
const nodePackages = [
  `node-${windows ? 'win' : process.platform}-${process.arch}`,
  `node-bin-${process.platform}-${process.arch}`,
];

/** The Node to run with: the pinned one npm installed, or a new enough one of the machine. */
export function findNode() {
  const pinned = nodePackages
    .map((name) => join(root, 'node_modules', name, windows ? 'bin/node.exe' : 'bin/node'))
    .find((path) => existsSync(path));
  const major = (node) => {
    const { stdout, status } = spawnSync(node, ['--version'], { encoding: 'utf8' });
    return status === 0 ? Number(/^v(\d+)\./.exec(stdout)?.[1]) : 0;
  };
  for (const node of [pinned, process.execPath, 'node']) {
    if (node && major(node) >= NODE_MAJOR) return node;
  }
  throw new Unready(
    `Kabari needs Node ${NODE_MAJOR} or newer, and npm has none for ${process.platform}-${process.arch}; install it from https://nodejs.org and start again.`,
  );
}

const sources = [
  'src/web',
  'src/contract',
  'stories',
  'public',
  'docs/api.md',
  'docs/changelog.md',
  'docs/cli.md',
  'docs/dialects',
  'docs/dialects.md',
  'docs/id',
  'docs/mcp.md',
  'docs/webhooks.md',
  'index.html',
  'vite.config.ts',
  'tools/chunks.ts',
  'tools/preload-frame.ts',
  'tools/service-worker.ts',
  'package-lock.json',
];

const serverSources = [
  'src/server',
  'src/contract',
  'tools/bundle-server.mjs',
  'package-lock.json',
];

/** @param unused the endings of names to ignore; by default tests. */
function digest(places, unused = /\.test\.tsx?$/) {
  const hash = createHash('sha256');
  const add = (place) => {
    const path = join(root, place);
    if (!existsSync(path)) return;
    if (statSync(path).isDirectory()) {
      for (const name of readdirSync(path).toSorted()) add(`${place}/${name}`);
    } else if (!unused.test(place)) {
      hash.update(`${place}\0`).update(readFileSync(path)).update('\0');
    }
  };
  for (const place of places) add(place);
  return hash.digest('hex');
}

/** True when the application will run in production: by the environment, or by the file `.env`. */
function isProduction() {
  if (process.env.NODE_ENV) return process.env.NODE_ENV === 'production';
  const own = join(root, '.env');
  const words = existsSync(own) ? readFileSync(own, 'utf8') : '';
  return /^\s*(export\s+)?NODE_ENV\s*=\s*["']?production\b/m.test(words);
}

function bundle(node, gallery) {
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const given = ['build', '--logLevel', 'warn'];
  const built = spawnSync(node, [vite, ...given], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production', KABARI_GALLERY: gallery ? 'on' : 'off' },
  });
  if (built.status !== 0) throw new Unready('The web app could not be built; Vite says why above.');
}

/**
 * Builds the web app when its sources have changed since the last build.
 *
 * @param gallery whether it includes the gallery of components: everywhere but in production.
 */
export function build(node, gallery = !isProduction()) {
  const now = `${digest(sources)}${gallery ? WITH_GALLERY : ''}`;
  if (builtStamp() === now) return;
  say('Building the web app …');
  bundle(node, gallery);
  writeFileSync(stamp, now);
}

const WITH_GALLERY = ' with the gallery';
const stamp = join(root, 'dist/.stamp');

const readStamp = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '');

const builtStamp = () => readStamp(stamp);

/** True when the web app is built from the current sources, with or without the gallery. */
const isBuilt = () => builtStamp().replace(WITH_GALLERY, '') === digest(sources);

const serverBundle = join(root, 'dist-server/main.js');
const serverStamp = join(root, 'dist-server/.stamp');

let sourcesOfServer;
/** Read once, before bundling: a source that changes meanwhile makes the bundle stale. */
const serverDigest = () =>
  (sourcesOfServer ??= digest(serverSources, /\.(?:test\.ts|sql|bin|txt)$/));

/** The file that Node runs: the bundle if it is current, otherwise the entry of the sources. */
export function serverEntry() {
  const made = readStamp(serverStamp);
  return made !== '' && made === serverDigest() ? serverBundle : 'src/server/main.ts';
}

/** Bundles the server when its sources have changed; not without dev dependencies. */
export function bundleServer(node) {
  if (!existsSync(join(root, 'node_modules/rolldown'))) return;
  if (serverEntry() === serverBundle) return;
  const made = spawnSync(node, [join(root, 'tools/bundle-server.mjs')], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (made.status === 0) writeFileSync(serverStamp, serverDigest());
  else
    say(
      'The server could not be bundled, see above; it starts from its sources, which takes longer.',
    );
}

const alive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
};

/** Two commands in the same clone wait for each other while they install and build. */
export async function alone(work) {
  const name = createHash('sha256').update(root).digest('hex').slice(0, 16);
  const lock = join(tmpdir(), `kabari-ready-${name}`);
  const owner = join(lock, 'pid');
  for (let waited = 0; ; waited++) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const pid = existsSync(owner) ? Number(readFileSync(owner, 'utf8')) : 0;
    const abandoned = pid > 0 ? !alive(pid) : waited > 20;
    if (abandoned) rmSync(lock, { recursive: true, force: true });
    else await new Promise((done) => setTimeout(done, 200));
  }
  try {
    writeFileSync(owner, String(process.pid));
    return await work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

export const flags = [
  '--disable-proto=delete',
  // A small nursery: after a load of 4,000 messages/s the process keeps 184 MB instead of 235.
  '--max-semi-space-size=2',
  // One helper thread of V8 for the one busy thread: its default of four costs a sixth of the process's CPU.
  '--v8-pool-size=1',
];

/** Becomes the application: the same process where the system supports it, else a parent of it. */
function start(node) {
  const own = existsSync(join(root, '.env')) ? ['--env-file=.env'] : [];
  const parentWatch = ['--import', './tools/parent-watch.mjs'];
  const given = [...flags, ...own, ...parentWatch, serverEntry()];
  // Two arenas of the C library: its default of one per thread only fragments free memory.
  const env = {
    MALLOC_ARENA_MAX: '2',
    NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/code'),
    ...process.env,
  };
  process.chdir(root);
  if (!windows && process.execve && node !== 'node') process.execve(node, [node, ...given], env);
  const app = spawn(node, given, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => app.connected && app.send(signal));
  }
  app.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

/** Starts the installed build, and writes nothing: the folder of a service may be read-only. */
function run() {
  if (!existsSync(join(root, 'dist/index.html'))) {
    throw new Unready('The web app is not built; run `npm run build` in this folder first.');
  }
  start(findNode());
}

/** Builds the web app with the installed packages; `KABARI_GALLERY=on` adds the gallery. */
function buildOnly() {
  if (!existsSync(join(root, 'node_modules/vite'))) {
    throw new Unready('Vite, which builds the web app, is not installed; run `npm ci` first.');
  }
  return alone(() => {
    const node = findNode();
    build(node, process.env.KABARI_GALLERY === 'on');
    bundleServer(node);
  });
}

/** Refuses arguments that would be ignored: `npm start -- --port 4000` does not change the port. */
function refuseWords(command, [word]) {
  if (word === undefined) return;
  const example =
    command === 'build' ? '' : '; settings are environment variables: PORT=4000 npm start';
  throw new Unready(
    `\`npm ${command === 'build' ? 'run build' : 'start'}\` does not know ${word}${example}.`,
  );
}

async function main(command, rest) {
  if (command !== 'test') refuseWords(command, rest);
  if (command === 'run') return run();
  if (command === 'build') return buildOnly();
  const node = await alone(() => {
    const missing = missingPackages();
    // After `npm ci --omit=dev` only build and test packages are missing.
    const isComplete = command === 'start' && missing.every(({ dev }) => dev) && isBuilt();
    if (!isComplete) install(missing);
    const found = findNode();
    if (command === 'start') {
      if (!isComplete) build(found);
      bundleServer(found);
    }
    return found;
  });
  if (command === 'start') return start(node);
  const { runStages } = await import('./stages.mjs');
  process.exitCode = await runStages(node, rest);
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  main(process.argv[2], process.argv.slice(3)).catch((error) => {
    if (!(error instanceof Unready)) throw error;
    say(error.message);
    if (process.argv[2] === 'test') process.stdout.write('0 passed, 1 failed\n');
    process.exitCode = 1;
  });
}
