import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link } from '#web/browser/router/Link.tsx';
import { useSearch } from '#web/browser/router/Router.tsx';
import { storageGet, storageSet } from '#web/browser/storage.ts';
import { Markdown } from '#web/features/docs/Markdown.tsx';
import { TryIt } from '#web/features/docs/TryIt.tsx';
import styles from '#web/features/docs/docs.module.css';
import { parseMarkdown, type Block } from '#web/features/docs/markdown.ts';
import { linkedHere, pageNamed, pages, sourceQuery } from '#web/features/docs/pages.ts';
import { ReaderContext } from '#web/features/docs/reader.ts';
import { languages, type SampleLanguage, type SampleRequest } from '#web/features/docs/samples.ts';
import { searchIn } from '#web/features/docs/search.ts';
import { useHeadingInView } from '#web/features/docs/useHeadingInView.ts';
import { Logo } from '#web/ui/brand/Logo.tsx';
import { sentenceOf } from '#web/api/errors.ts';
import { configQuery } from '#web/api/configQuery.ts';
import { LinkButton } from '#web/ui/button/Button.tsx';
import { useMedia } from '#web/ui/layout/useMedia.ts';
import { PageTitle } from '#web/ui/layout/PageTitle.tsx';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { SearchField } from '#web/ui/text/SearchField.tsx';

/** `docs/api.md` from the repository, bundled with the page by the build. */
const apiSource = Object.values(
  import.meta.glob<string>('/docs/api.md', { query: '?raw', import: 'default', eager: true }),
).join('');
const EXAMPLE_ADDRESS = 'https://kabari.example';
const QUERY_MAX = 60;
const LANGUAGE = 'docs-language';

/** Route `/docs`, also without signing in: the documentation, with this installation's address. */
export function DocsPage() {
  const shown = pageNamed(useSearch('/docs').page);
  const [query, setQuery] = useState('');
  const { blocks, error, refetch } = useBlocks(shown.name);
  return (
    <div className={styles['page']}>
      <header className={styles['bar']}>
        <Logo />
        <LinkButton to="/token" size="sm" variant="outline" tone="neutral">
          Kunci API Anda
        </LinkButton>
      </header>
      <main id="isi" tabIndex={-1} className={styles['columns']}>
        <div className={styles['head']}>
          <PageTitle>Dokumentasi API</PageTitle>
          <p>Untuk pengembang, dalam bahasa Inggris. Setiap contoh dapat langsung dicoba.</p>
          <nav aria-label="Halaman dokumentasi" className={styles['pages']}>
            {pages.map(({ name, title }) => (
              <Link
                key={name}
                to="/docs"
                search={name === 'api' ? {} : { page: name }}
                aria-current={name === shown.name ? 'page' : undefined}
              >
                {title}
              </Link>
            ))}
          </nav>
          <SearchField
            label="Cari di dokumentasi"
            placeholder="Cari alamat, isian, atau kode kesalahan"
            maxLength={QUERY_MAX}
            value={query}
            onSearch={setQuery}
          />
          {query !== '' && <Results query={query} shown={shown.name} blocks={blocks} />}
        </div>
        <Contents blocks={blocks} />
        {blocks.length > 0 ? (
          <Article key={shown.name} blocks={blocks} />
        ) : error ? (
          <WentWrong message={sentenceOf(error)} onRetry={() => void refetch()} />
        ) : (
          <Coming />
        )}
      </main>
    </div>
  );
}

function useBlocks(name: (typeof pages)[number]['name']) {
  const { data: config } = useQuery(configQuery);
  const {
    data: fetched = '',
    error,
    refetch,
  } = useQuery({ ...sourceQuery(name), enabled: name !== 'api' });
  const source = name === 'api' ? apiSource : fetched;
  const address = config?.api_url || window.location.origin;
  const blocks = useMemo(
    () => parseMarkdown(linkedHere(source.replaceAll(EXAMPLE_ADDRESS, address))),
    [source, address],
  );
  return { blocks, error, refetch };
}

const Coming = () => (
  <div aria-busy="true" className={styles['article']}>
    <Skeleton height={28} width={220} />
    <Skeleton lines={4} />
    <Skeleton height={180} />
    <Skeleton lines={6} />
  </div>
);

type ResultsProps = { query: string; shown: string; blocks: readonly Block[] };

function Results({ query, shown, blocks }: ResultsProps) {
  const others = pages.filter(({ name }) => name !== shown);
  const sources = useQueries({ queries: others.map(({ name }) => sourceQuery(name)) });
  const found = useMemo(() => searchIn(blocks, query), [blocks, query]);
  const also = others.filter(({ name }, at) => {
    const source = name === 'api' ? apiSource : (sources[at]?.data ?? '');
    return searchIn(parseMarkdown(source), query).length > 0;
  });
  return (
    <section aria-label="Hasil pencarian" className={styles['results']}>
      <p role="status">
        {found.length + also.length === 0 ? 'Tidak ada yang cocok.' : 'Ditemukan:'}
      </p>
      <ul>
        {found.map(({ id, title, words }, index) => (
          <li key={index}>
            <a href={`#${id}`} lang="en">
              <strong>{title}</strong> {words}
            </a>
          </li>
        ))}
        {also.map(({ name, title }) => (
          <li key={name}>
            <Link to="/docs" search={name === 'api' ? {} : { page: name }}>
              Halaman <strong>{title}</strong>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The chapters fit beside the text, as in the stylesheet. */
const BESIDE = '(min-width: 1000px)';

function Contents({ blocks }: { blocks: readonly Block[] }) {
  const chapters = useMemo(
    () => blocks.flatMap((block) => (block.kind === 'heading' && block.level === 2 ? block : [])),
    [blocks],
  );
  const current = useHeadingInView(useMemo(() => chapters.map(({ id }) => id), [chapters]));
  const beside = useMedia(BESIDE);
  const list = (
    <ol>
      {chapters.map(({ id, text }) => (
        <li key={id}>
          <a href={`#${id}`} lang="en" aria-current={id === current ? 'location' : undefined}>
            {text}
          </a>
        </li>
      ))}
    </ol>
  );
  return (
    <nav aria-label="Isi halaman" className={styles['contents']}>
      {beside ? (
        list
      ) : (
        <details>
          <summary>Isi halaman</summary>
          {list}
        </details>
      )}
    </nav>
  );
}

const storedLanguage = (): SampleLanguage =>
  languages.find((one) => one === storageGet('browser', LANGUAGE)) ?? 'curl';

function Article({ blocks }: { blocks: readonly Block[] }) {
  const [language, setLanguage] = useState(storedLanguage);
  const [tried, setTried] = useState<SampleRequest>();
  const [apiKey, setApiKey] = useState('');
  const reader = useMemo(
    () => ({
      language,
      setLanguage: (next: SampleLanguage) => {
        storageSet('browser', LANGUAGE, next);
        setLanguage(next);
      },
      tryOut: setTried,
    }),
    [language],
  );
  return (
    <>
      <article lang="en" className={styles['article']}>
        <ReaderContext value={reader}>
          <Markdown blocks={blocks} />
        </ReaderContext>
      </article>
      {tried && (
        <TryIt
          request={tried}
          apiKey={apiKey}
          onKey={setApiKey}
          onClose={() => setTried(undefined)}
        />
      )}
    </>
  );
}
