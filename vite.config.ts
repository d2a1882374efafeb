import { basename, join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { chunkGroups, dailyPages, outside } from './tools/chunks.ts';
import { preloadFrame } from './tools/preload-frame.ts';
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
 * Puts each stylesheet module into the layer of its folder, after the order of all layers: chunks are linked in an
 * order that nobody chose, and the first statement that a page reads is the one that counts.
 */
function layers(): Plugin {
  return {
    name: 'layers',
    enforce: 'pre',
    transform: (code, id) => {
      if (!id.endsWith('.module.css')) return undefined;
      const layer = id.includes('/web/ui/') ? 'ui' : 'features';
      // Two sheets also have rules of another layer, and state each.
      const rules = code.startsWith('@layer') ? code : `@layer ${layer} {\n${code}}\n`;
      return `@layer reset, tokens, base, layout, ui, features;\n${rules}`;
    },
  };
}

const iconFactory = join(import.meta.dirname, 'src/web/ui/icon.ts');

/** Reduces lucide's icons to their shapes: their names, React keys and factory cost each first screen 1 to 3 kB. */
function leanIcons(): Plugin {
  return {
    name: 'lean-icons',
    apply: 'build',
    transform: {
      filter: { id: /lucide-react\/dist\/esm\/icons\//, code: 'createLucideIcon' },
      handler(code) {
        const [, node, name] =
          /\n {2}node: (\[[^]*?\])(?:,\n {2}aliases: .*)?\n\};[^]*?const (\w+) = createLucideIcon/.exec(
            code,
          ) ?? [];
        if (!node) throw new Error('an icon of lucide has another form; fix vite.config.ts');
        return (
          `import { createIcon } from ${JSON.stringify(iconFactory)};\n` +
          `const ${name} = /* @__PURE__ */ createIcon({ node: ${node.replaceAll(/,? key: "\w+"/g, '')} });\n` +
          `export { ${name} as default };\n`
        );
      },
    },
  };
}

/** The pages that people open first, or every day, as chunks are called. */
const firstPages = new RegExp(
  `/(?:${[...Object.values(dailyPages), ...outside]
    .map((file) => basename(file, '.tsx'))
    .join('|')})-`,
);

/**
 * Whether a file that a page needs is named in the entry, so that it comes beside the page and not after it. Each
 * name makes every first screen longer: not those that the entry has brought, and for pages that are opened
 * seldom, mostly by a link that was pointed at before, only the styles, without which they are not shown.
 */
const isNamedBefore = (page: string, file: string): boolean =>
  !/assets\/(?:core|rolldown-runtime)-/.test(file) &&
  (firstPages.test(page) || file.endsWith('.css'));

const gallery = process.env['KABARI_GALLERY'] === 'on';

/** What a thread is drawn by: Chromium compiles all of it while it loads, beside the page, not when the first message has come. */
const threadModules = ['ui/chat/thread/ThreadList.tsx', 'ui/chat/ChatBubble.tsx'];
const COMPILE_AT_ONCE = '//# allFunctionsCalledOnLoad';

export default defineConfig(({ command }) => ({
  // The gallery of pieces: always while developing, in a build only where it is asked for.
  define: { __GALLERY__: command === 'serve' || gallery },
  plugins: [react(), layers(), leanIcons(), preloadFont(), preloadFrame(), serviceWorker()],
  css: {
    transformer: 'lightningcss',
    lightningcss: { cssModules: { pattern: '[local]_[hash]' } },
  },
  build: {
    target: ['chrome111', 'edge111', 'firefox114', 'safari16.4'],
    manifest: true,
    // Inline data would need `data:` in font-src and grows the entry; small files are cached better.
    assetsInlineLimit: 0,
    // Safari before 17 loads the same modules a little later; the polyfill costs every browser 1 kB.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (page, files, { hostType }) =>
        hostType === 'html' ? files : files.filter((file) => isNamedBefore(page, file)),
    },
    reportCompressedSize: false,
    // Schemas and acts are made by calls at the top of a module; unused ones may go all the same.
    rolldownOptions: {
      treeshake: {
        manualPureFunctions: [
          'z',
          'act',
          'paging',
          'schema',
          'once',
          'oncePer',
          'endpoint',
          'noted',
        ],
      },
      output: {
        // The entry names every file that its pages need: a letter less of each counts, and 64^7 are
        // enough to tell the files of all releases apart.
        chunkFileNames: 'assets/[name]-[hash:7].js',
        assetFileNames: 'assets/[name]-[hash:7][extname]',
        codeSplitting: { groups: chunkGroups() },
        postBanner: ({ moduleIds }) =>
          moduleIds.some((id) => threadModules.some((name) => id.endsWith(name)))
            ? COMPILE_AT_ONCE
            : '',
      },
    },
  },
  server: { proxy: { '/api': { target: 'http://127.0.0.1:3000', changeOrigin: false } } },
}));
