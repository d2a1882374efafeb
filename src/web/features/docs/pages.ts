import { queryOptions } from '@tanstack/react-query';
import type { Language } from '#contract/language/language.ts';
import { loadModule } from '#web/api/lazyApi.ts';

const all = [
  { name: 'api', title: { id: 'API', en: 'API' } },
  { name: 'dialects', title: { id: 'Pengganti layanan lain', en: 'Replacing other services' } },
  { name: 'dialects/cloud-api', title: { id: 'WhatsApp Cloud API', en: 'WhatsApp Cloud API' } },
  { name: 'webhooks', title: { id: 'Webhook', en: 'Webhooks' } },
  { name: 'cli', title: { id: 'Perintah kabari', en: 'The kabari command' } },
  { name: 'mcp', title: { id: 'MCP', en: 'MCP' } },
  { name: 'changelog', title: { id: 'Perubahan', en: 'Changes' } },
] as const;
export type DocsPageName = (typeof all)[number]['name'];

/** The English pages, and the Indonesian ones that exist. The browser loads only the shown one. */
const files = import.meta.glob<string>(
  ['/docs/{api,changelog,cli,dialects,mcp,webhooks}.md', '/docs/dialects/*.md', '/docs/id/**/*.md'],
  { query: '?raw', import: 'default' },
);

const isThere = (name: string): boolean => files[`/docs/${name}.md`] !== undefined;

export const pages = all.filter(({ name }) => isThere(name));

/** The page for a name; the API page for an unknown name. */
export const pageNamed = (name: string | undefined) =>
  pages.find((page) => page.name === name) ?? all[0];

/** The text of a page, and the language that it is in: English if it has no Indonesian text. */
export const sourceQuery = (name: DocsPageName, language: Language) =>
  queryOptions({
    queryKey: ['docs', language, name],
    queryFn: async () => {
      const translated = language === 'id' ? files[`/docs/id/${name}.md`] : undefined;
      const load = translated ?? files[`/docs/${name}.md`];
      const shown: Language = translated ? 'id' : 'en';
      return { source: load ? await loadModule(load()) : '', language: shown };
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
