import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { serviceWorker } from './tools/service-worker.ts';

/** Preloads the one font file, whose hashed name only the bundle knows. */
function preloadFont(): Plugin {
  return {
    name: 'preload-font',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle }) =>
        Object.keys(bundle ?? {})
          .filter((file) => file.endsWith('.woff2'))
          .map((file) => ({
            tag: 'link',
            attrs: {
              rel: 'preload',
              as: 'font',
              type: 'font/woff2',
              href: `/${file}`,
              crossorigin: '',
            },
            injectTo: 'head' as const,
          })),
    },
  };
}

/**
 * Every module states the order of the layers itself: chunks are linked in an order that nobody
 * chose, and the first statement that a page reads is the one that counts.
 */
function layerOrder(): Plugin {
  return {
    name: 'layer-order',
    enforce: 'pre',
    transform: (code, id) =>
      id.endsWith('.module.css') ? `@layer reset, tokens, base, ui, features;\n${code}` : undefined,
  };
}

/** What every screen needs, in one file: many small ones compress worse (2.5 kB of gzip). */
const libraries = {
  name: 'core',
  test: new RegExp(
    [
      'node_modules/(?:react|react-dom|scheduler|use-sync-external-store)/',
      // Two of them are for one page that few see.
      'node_modules/@tanstack/(?:[a-z]+-router|router-core|[a-z]+-query|query-core|history|[a-z-]*store)/(?!.*/(?:queriesObserver|useQueries))',
      'lucide-react/dist/esm/(?:shared|Icon|createLucide|context)',
      'preload-helper|rolldown/runtime',
      'src/web/client/(?:errors|calls|key|session|query|user|search|redirect)\\.ts',
      'src/web/ui/(?:Button|PageTitle|Spinner|toasts|announce|rules/classes)\\.',
    ].join('|'),
  ),
};

/** The fields of the sign-in page, which other forms share: five files would cost it 1 kB more. */
const signingIn = {
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
 * What many pages share, in pieces of 20 kB or more: as a file for each shared module the first signed-in
 * screen was 70 links, and writing those took a phone longer than running what they bring. What few
 * share stays apart, so that a lazy piece brings only its own. `npm run size` sees that no two files import
 * each other: what one of them needs at once would not be there yet.
 */
const shared = {
  name: 'shared',
  test: /./,
  minShareCount: 5,
  entriesAware: true,
  entriesAwareMergeThreshold: 20_000,
};

/** A shared piece by a short name: the bundler's own lists every page that uses it. */
const fileName = (name = ''): string =>
  `assets/${name.startsWith('shared~') ? 'shared' : '[name]'}-[hash]`;

const gallery = process.env['KABARI_GALLERY'] === 'on';

export default defineConfig(({ command }) => ({
  // The gallery of pieces: always while developing, in a build only where it is asked for.
  define: { __GALLERY__: command === 'serve' || gallery },
  plugins: [react(), layerOrder(), preloadFont(), serviceWorker()],
  css: {
    transformer: 'lightningcss',
    lightningcss: { cssModules: { pattern: '[name]_[local]_[hash]' } },
  },
  build: {
    target: ['chrome111', 'edge111', 'firefox114', 'safari16.4'],
    manifest: true,
    // Inline data would need `data:` in font-src and grows the entry; small files are cached better.
    assetsInlineLimit: 0,
    // Safari before 17 loads the same modules a little later; the polyfill costs every browser 1 kB.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Schemas and acts are made by calls at the top of a module; unused ones may go all the same.
    rolldownOptions: {
      treeshake: { manualPureFunctions: ['z', 'act', 'paging'] },
      output: {
        codeSplitting: { groups: [libraries, signingIn, ...(gallery ? [] : [shared])] },
        chunkFileNames: ({ name }) => `${fileName(name)}.js`,
        assetFileNames: ({ names }) => `${fileName(names[0])}[extname]`,
      },
    },
  },
  server: { proxy: { '/api': { target: 'http://127.0.0.1:3000', changeOrigin: false } } },
}));
