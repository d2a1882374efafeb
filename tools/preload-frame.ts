import type { Plugin, Rolldown } from 'vite';
import { dailyPages } from './chunks.ts';

type Chunk = Rolldown.OutputChunk;
type Files = ReadonlyMap<string, Chunk>;

function behind(chunk: Chunk, files: Files, found = new Set<string>()): Set<string> {
  if (found.has(chunk.fileName)) return found;
  found.add(chunk.fileName);
  for (const file of chunk.imports) {
    const next = files.get(file);
    if (next) behind(next, files, found);
  }
  return found;
}

/** The scripts per address that a signed-in page needs besides the entry's. */
function filesByAddress(files: Files): Record<string, readonly string[]> {
  const chunks = [...files.values()];
  const chunkOf = (is: (chunk: Chunk) => boolean) => {
    const chunk = chunks.find(is);
    if (!chunk) throw new Error('a page or the frame is not a chunk; fix tools/preload-frame.ts');
    return behind(chunk, files);
  };
  const entry = chunkOf(
    ({ isEntry, facadeModuleId }) => isEntry && !!facadeModuleId?.endsWith('.html'),
  );
  const frame = chunkOf(({ name }) => name === 'frame').difference(entry);
  const own = Object.entries(dailyPages).map(([address, page]) => {
    const needed = chunkOf(({ facadeModuleId }) => facadeModuleId?.endsWith(page) ?? false);
    return [address, [...needed.difference(entry).difference(frame)]] as const;
  });
  return Object.fromEntries([['', [...frame]], ...own]);
}

/** An empty token is stored as eight characters (`browser/session.ts`). */
const script = (files: object): string =>
  `try{if((localStorage.getItem('auth-token')??'').length>8){` +
  `const files=${JSON.stringify(files)};` +
  `for(const file of [...files[''],...(files[location.pathname]??[])]){` +
  `const link=document.createElement('link');link.rel='modulepreload';link.href='/'+file;` +
  `document.head.append(link)}}}catch{}`;

/**
 * Makes the page load the scripts of the signed-in frame and of its own address at once, if a session exists: in
 * parallel with the entry instead of after it has run, and before anything visible could freeze.
 */
export function preloadFrame(): Plugin {
  return {
    name: 'preload-frame',
    transformIndexHtml: {
      order: 'post',
      handler: (html, { bundle }) => {
        if (!bundle) return html;
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
        const files = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
        // Before the stylesheets: a script after them waits until they are loaded.
        const first = `<script>${script(filesByAddress(files))}</script>\n    `;
        return html.replace(/(?=<script type="module")/, () => first);
      },
    },
  };
}
