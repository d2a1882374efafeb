import { useQueries, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { Language } from '#contract/language/language.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { useSearch } from '#web/browser/router/Router.tsx';
import { storageGet, storageSet } from '#web/browser/storage.ts';
import { Markdown } from '#web/features/docs/Markdown.tsx';
import { TryIt } from '#web/features/docs/TryIt.tsx';
import styles from '#web/features/docs/docs.module.css';
import { classes } from '#web/ui/classes.ts';
import { parseMarkdown, type Block } from '#web/features/docs/markdown.ts';
import {
  linkedHere,
  pageNamed,
  pages,
  sourceQuery,
  type DocsPageName,
} from '#web/features/docs/pages.ts';
import { ReaderContext } from '#web/features/docs/reader.ts';
import { languages, type SampleLanguage, type SampleRequest } from '#web/features/docs/samples.ts';
import { searchIn } from '#web/features/docs/search.ts';
import { languageNames, readingLanguage, STORED_AS, words } from '#web/features/docs/words.ts';
import { Logo } from '#web/ui/brand/Logo.tsx';
import { sentenceOf } from '#web/api/errors.ts';
import { configQuery } from '#web/api/configQuery.ts';
import { LinkButton } from '#web/ui/button/Button.tsx';
import { scrollRow, useScrollRow } from '#web/ui/layout/useScrollRow.ts';
import { useMedia } from '#web/ui/layout/useMedia.ts';
import { PageTitle } from '#web/ui/layout/PageTitle.tsx';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { SearchField } from '#web/ui/text/SearchField.tsx';

const EXAMPLE_ADDRESS = 'https://kabari.example';
const QUERY_MAX = 60;
const LANGUAGE = 'docs-language';

/** Route `/docs`, also without signing in: the documentation, with this installation's address. */
export function DocsPage() {
  const { page, lang } = useSearch('/docs');
  const shown = pageNamed(page);
  const reads = useReadingLanguage(lang);
  const own = words[reads];
  const [query, setQuery] = useState('');
  const row = useScrollRow<HTMLElement>();
  const { blocks, language, error, refetch } = useBlocks(shown.name, reads);
  const text = { blocks, language, reads };
  return (
    <div className={styles['page']}>
      <header className="row justify-between gap-16 py-16 border-b">
        <Logo />
        <LinkButton to="/token" size="sm" variant="outline" tone="neutral">
          {own.keys}
        </LinkButton>
      </header>
      <main id="isi" tabIndex={-1} className={classes('stack gap-24', styles['columns'])}>
        <div className={styles['head']}>
          <PageTitle>{own.title}</PageTitle>
          <p>{own.intro}</p>
          <LanguageSwitch reads={reads} />
          <nav
            ref={row}
            aria-label={own.pages}
            className={classes('flex gap-4', scrollRow, styles['pages'])}
          >
            {pages.map(({ name, title }) => (
              <Link
                key={name}
                to="/docs"
                search={{ lang, page: name === 'api' ? undefined : name }}
                aria-current={name === shown.name ? 'page' : undefined}
              >
                {title[reads]}
              </Link>
            ))}
          </nav>
          <SearchField
            label={own.search}
            placeholder={own.searchHint}
            maxLength={QUERY_MAX}
            value={query}
            onSearch={setQuery}
          />
          {query !== '' && <Results query={query} shown={shown.name} {...text} />}
        </div>
        <Contents {...text} />
        {blocks.length > 0 ? (
          <Article key={shown.name} {...text} />
        ) : error ? (
          <WentWrong message={sentenceOf(error)} onRetry={() => void refetch()} />
        ) : (
          <Coming />
        )}
      </main>
    </div>
  );
}

/** The language of the page, which the address can choose for this and later visits. */
function useReadingLanguage(chosen: Language | undefined): Language {
  const reads = chosen ?? readingLanguage();
  useEffect(() => {
    if (chosen) storageSet('browser', STORED_AS, chosen);
  }, [chosen]);
  useEffect(() => {
    const { documentElement: root } = document;
    const { lang } = root;
    root.lang = reads;
    return () => {
      root.lang = lang;
    };
  }, [reads]);
  return reads;
}

const LanguageSwitch = ({ reads }: { reads: Language }) => (
  <nav
    aria-label="Bahasa / Language"
    className={classes('flex gap-16 mt-8 base', styles['languages'])}
  >
    {(['id', 'en'] as const).map((one) => (
      <Link
        key={one}
        to="/docs"
        change={{ lang: one }}
        resetScroll={false}
        lang={one}
        aria-current={one === reads ? 'true' : undefined}
      >
        {languageNames[one]}
      </Link>
    ))}
  </nav>
);

const NONE = { source: '', language: 'en' } as const;

function useBlocks(name: DocsPageName, reads: Language) {
  const { data: config } = useQuery(configQuery);
  const { data = NONE, error, refetch } = useQuery(sourceQuery(name, reads));
  const { source, language } = data;
  const address = config?.api_url || window.location.origin;
  const blocks = useMemo(
    () => parseMarkdown(linkedHere(source.replaceAll(EXAMPLE_ADDRESS, address))),
    [source, address],
  );
  return { blocks, language, error, refetch };
}

const Coming = () => (
  <div aria-busy="true" className={classes('stack gap-16 leading-text', styles['article'])}>
    <Skeleton height={28} width={220} />
    <Skeleton lines={4} />
    <Skeleton height={180} />
    <Skeleton lines={6} />
  </div>
);

type ShownProps = {
  blocks: readonly Block[];
  /** The language of the blocks. */
  language: Language;
  /** The language of everything around them. */
  reads: Language;
};

function Results({
  query,
  shown,
  blocks,
  language,
  reads,
}: ShownProps & { query: string; shown: string }) {
  const { lang } = useSearch('/docs');
  const own = words[reads];
  const others = pages.filter(({ name }) => name !== shown);
  const sources = useQueries({ queries: others.map(({ name }) => sourceQuery(name, reads)) });
  const found = useMemo(() => searchIn(blocks, query), [blocks, query]);
  const also = others.filter(
    (_, at) => searchIn(parseMarkdown(sources[at]?.data?.source ?? ''), query).length > 0,
  );
  return (
    <section
      aria-label={own.results}
      className={classes('mt-12 border rounded-lg p-12', styles['results'])}
    >
      <p role="status">{found.length + also.length === 0 ? own.nothing : own.found}</p>
      <ul>
        {found.map(({ id, title, words }, index) => (
          <li key={index}>
            <a href={`#${id}`} lang={language}>
              <strong>{title}</strong> {words}
            </a>
          </li>
        ))}
        {also.map(({ name, title }) => (
          <li key={name}>
            <Link to="/docs" search={{ lang, page: name === 'api' ? undefined : name }}>
              {own.page} <strong>{title[reads]}</strong>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The chapters fit beside the text, as in the stylesheet. */
const BESIDE = '(min-width: 1000px)';

function Contents({ blocks, language, reads }: ShownProps) {
  const { contents } = words[reads];
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
          <a href={`#${id}`} lang={language} aria-current={id === current ? 'location' : undefined}>
            {text}
          </a>
        </li>
      ))}
    </ol>
  );
  return (
    <nav aria-label={contents} className={styles['contents']}>
      {beside ? (
        list
      ) : (
        <details>
          <summary>{contents}</summary>
          {list}
        </details>
      )}
    </nav>
  );
}

const storedLanguage = (): SampleLanguage =>
  languages.find((one) => one === storageGet('browser', LANGUAGE)) ?? 'curl';

function Article({ blocks, language, reads }: ShownProps) {
  const [sampleLanguage, setLanguage] = useState(storedLanguage);
  const [tried, setTried] = useState<SampleRequest>();
  const [apiKey, setApiKey] = useState('');
  const reader = useMemo(
    () => ({
      reads: language,
      language: sampleLanguage,
      setLanguage: (next: SampleLanguage) => {
        storageSet('browser', LANGUAGE, next);
        setLanguage(next);
      },
      tryOut: setTried,
    }),
    [language, sampleLanguage],
  );
  return (
    <>
      <article lang={language} className={classes('stack gap-16 leading-text', styles['article'])}>
        {language !== reads && <p lang={reads}>{words[reads].untranslated}</p>}
        <ReaderContext value={reader}>
          <Markdown blocks={blocks} />
        </ReaderContext>
      </article>
      {tried && (
        <TryIt
          request={tried}
          reads={reads}
          apiKey={apiKey}
          onKey={setApiKey}
          onClose={() => setTried(undefined)}
        />
      )}
    </>
  );
}

const REACHED_PX = 120;

function useHeadingInView(ids: readonly string[]): string | undefined {
  const [current, setCurrent] = useState<string>();
  useEffect(() => {
    let frame = 0;
    const look = () => {
      frame = 0;
      const reached = ids.filter((id) => {
        const place = document.getElementById(id);
        return place !== null && place.getBoundingClientRect().top <= REACHED_PX;
      });
      setCurrent(reached.at(-1));
    };
    const soon = () => {
      frame ||= requestAnimationFrame(look);
    };
    soon();
    window.addEventListener('scroll', soon, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      window.removeEventListener('scroll', soon);
    };
  }, [ids]);
  return current;
}
