import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin, type ResolvedConfig, type Rolldown } from 'vite';

/** Files of `public` that the app shows offline. */
const SHOWN = ['favicon.svg', 'favicon-192.png', 'favicon-unread.svg', 'manifest.webmanifest'];

/** Parts without an offline use: they talk to the application all the time, or are the gallery. */
const leftOut = /\/(?:stories|web\/features\/(?:simulator|scan))\//;

/** Every chunk of the portal, from the entry on, with its styles; and the font. */
function portalFiles(bundle: Rolldown.OutputBundle): string[] {
  const found = new Set<string>();
  const take = (name: string) => {
    const file = bundle[name];
    if (file?.type !== 'chunk' || found.has(name) || leftOut.test(file.facadeModuleId ?? ''))
      return;
    found.add(name);
    for (const style of file.viteMetadata?.importedCss ?? []) found.add(style);
    for (const next of [...file.imports, ...file.dynamicImports]) take(next);
  };
  for (const file of Object.values(bundle)) {
    if (file.type === 'chunk' && file.isEntry) take(file.fileName);
    if (file.fileName.endsWith('.woff2')) found.add(file.fileName);
  }
  return [...found].toSorted();
}

/** Bundles `src/web/service-worker/sw.ts` with its cache list and a version name inlined. */
async function workerCode(root: string, precache: readonly string[], version: string) {
  const built = await build({
    configFile: false,
    root,
    publicDir: false,
    logLevel: 'warn',
    define: { __PRECACHE__: JSON.stringify(precache), __VERSION__: JSON.stringify(version) },
    build: {
      write: false,
      target: ['chrome111', 'edge111', 'firefox114', 'safari16.4'],
      rolldownOptions: {
        input: join(root, 'src/web/service-worker/sw.ts'),
        output: { format: 'iife', entryFileNames: 'sw.js', codeSplitting: false },
      },
    },
  });
  const [output] = [built].flat();
  const chunk = output && 'output' in output ? output.output[0] : undefined;
  if (chunk?.type !== 'chunk') throw new Error('the service worker was not built');
  return chunk.code;
}

/** Adds `sw.js` to the build: last, after `index.html`, because it lists the built files. */
export function serviceWorker(): Plugin {
  let config: ResolvedConfig;
  return {
    name: 'service-worker',
    apply: 'build',
    configResolved: (resolved) => {
      config = resolved;
    },
    generateBundle: {
      order: 'post',
      async handler(_options, bundle) {
        const { root, publicDir } = config;
        const files = portalFiles(bundle);
        const hash = createHash('sha256').update(files.join('\n'));
        const page = bundle['index.html'];
        if (page?.type !== 'asset')
          throw new Error('index.html must be built before the service worker');
        hash.update(page.source);
        for (const name of SHOWN) hash.update(readFileSync(join(publicDir, name)));
        const precache = ['/', ...[...SHOWN, ...files].map((name) => `/${name}`)];
        const version = hash.digest('hex').slice(0, 12);
        const source = await workerCode(root, precache, version);
        this.emitFile({ type: 'asset', fileName: 'sw.js', source });
      },
    },
  };
}
