import { queryOptions } from '@tanstack/react-query';
import { loadModule } from '#web/api/lazyApi.ts';

const all = [
  { name: 'api', title: 'API' },
  { name: 'dialects', title: 'Pengganti layanan lain' },
  { name: 'dialects/cloud-api', title: 'WhatsApp Cloud API' },
  { name: 'webhooks', title: 'Webhook' },
  { name: 'cli', title: 'Perintah kabari' },
  { name: 'mcp', title: 'MCP' },
  { name: 'changelog', title: 'Perubahan' },
] as const;
export type DocsPageName = (typeof all)[number]['name'];

const files = import.meta.glob<string>(
  [
    '/docs/dialects.md',
    '/docs/dialects/*.md',
    '/docs/webhook*.md',
    '/docs/cli.md',
    '/docs/mcp.md',
    '/docs/changelog.md',
  ],
  { query: '?raw', import: 'default' },
);

const isThere = (name: string): boolean =>
  name === 'api' || files[`/docs/${name}.md`] !== undefined;

export const pages = all.filter(({ name }) => isThere(name));

/** The page for a name; the API page for an unknown name. */
export const pageNamed = (name: string | undefined) =>
  pages.find((page) => page.name === name) ?? all[0];

export const sourceQuery = (name: DocsPageName) =>
  queryOptions({
    queryKey: ['docs', name],
    queryFn: async () => {
      const load = files[`/docs/${name}.md`];
      return load ? loadModule(load()) : '';
    },
    staleTime: Infinity,
  });

export const linkedHere = (source: string): string =>
  source.replaceAll(
    /\]\((?:\.{0,2}\/)*(?:docs\/)?([a-z-]+(?:\/[a-z-]+)?)\.md(#[\w-]+)?\)/g,
    (whole, name: string, hash = '') => {
      if (!isThere(name)) return whole;
      return name === 'api' ? `](/docs${hash})` : `](/docs?page=${name}${hash})`;
    },
  );
