import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { type Product, startProduct } from '#tests/journeys/support/product.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    gallery: string;
    /** Address of the acts: the gallery's own, except during development. */
    product: string;
    operator: Product['operator'];
  }
}

const root = join(import.meta.dirname, '../..');

function insistOnGallery(): void {
  const file = join(root, 'dist/.vite/manifest.json');
  const manifest = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (manifest.includes('"stories/gallery/GalleryPage.tsx"')) return;
  throw new Error(
    'The web app is not built, or without its gallery; run `KABARI_GALLERY=on npm run build`.',
  );
}

async function serveSources(product: string) {
  const { createServer } = await import('vite');
  const cacheDir = await mkdtemp(join(tmpdir(), 'kabari-vite-'));
  const server = await createServer({
    root,
    cacheDir,
    logLevel: 'error',
    clearScreen: false,
    optimizeDeps: { entries: ['index.html', 'stories/*.story.tsx'] },
    server: {
      host: 'localhost',
      port: 0,
      hmr: false,
      watch: null,
      // Under its own host: the product refuses cross-site requests.
      proxy: { '/api': { target: product, changeOrigin: false }, '/files': product },
    },
  });
  await server.listen();
  const address = server.resolvedUrls?.local[0]?.replace(/\/$/, '');
  if (address === undefined) throw new Error('Vite serves at no address.');
  return {
    address,
    stop: async () => {
      await server.close();
      await rm(cacheDir, { recursive: true, force: true });
    },
  };
}

/** The product; during development the gallery also works with a broken server. */
async function openProduct(
  developing: boolean,
): Promise<Pick<Product, 'address' | 'operator' | 'stop'>> {
  try {
    return await startProduct({ SIMULATOR_SPEED: '0' });
  } catch (error) {
    if (!developing) throw error;
    process.stderr.write(`The pieces are shown without the product. ${String(error)}\n`);
    const operator = { phone: '', password: '' };
    return { address: 'http://127.0.0.1:9', operator, stop: async () => undefined };
  }
}

/**
 * One product for the whole run; each worker starts its own Chromium, which costs less than to reach one from outside.
 * With `GALLERY_DEV=1` the gallery comes from the sources; otherwise it is the built one, with the product's policy and
 * headers.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const developing = process.env['GALLERY_DEV'] === '1';
  if (!developing) insistOnGallery();
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    await Promise.all(stops.splice(0).map((end) => end()));
  };
  process.once('SIGTERM', () => {
    void stop().finally(() => process.exit(143));
  });
  try {
    const product = await openProduct(developing);
    stops.push(product.stop);
    const sources = developing ? await serveSources(product.address) : undefined;
    if (sources) stops.push(sources.stop);
    project.provide('product', product.address);
    project.provide('operator', product.operator);
    project.provide('gallery', sources?.address ?? product.address);
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}
