import { useQueries, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState, Fragment, useContext, createContext } from 'react';
import type { Language } from '#contract/language/language.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { useSearch } from '#web/browser/router/Router.tsx';
import { storageGet, storageSet } from '#web/browser/storage.ts';
import { TryIt } from '#web/features/docs/TryIt.tsx';
import styles from '#web/features/docs/docs.module.css';
import { classes } from '#web/ui/classes.ts';
import { parseMarkdown, type Block, type Inline } from '#web/features/docs/markdown.ts';
import {
  linkedHere,
  pageNamed,
  pages,
  sourceQuery,
  type DocsPageName,
} from '#web/features/docs/pages.ts';
import {
  languages,
  type SampleLanguage,
  type SampleRequest,
  languageTitle,
  readCurl,
  sampleIn,
} from '#web/features/docs/samples.ts';
import { searchIn } from '#web/features/docs/search.ts';
import { languageNames, readingLanguage, STORED_AS, words } from '#web/features/docs/words.ts';
import { Logo } from '#web/ui/brand/Logo.tsx';
import { configQuery } from '#web/api/configQuery.ts';
import { LinkButton, Button } from '#web/ui/button/Button.tsx';
import { scrollRow, useScrollRow } from '#web/ui/layout/useScrollRow.ts';
import { useMedia } from '#web/ui/layout/useMedia.ts';
import { PageTitle } from '#web/ui/layout/PageTitle.tsx';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { SearchField } from '#web/ui/text/SearchField.tsx';
import { CodeBlock } from '#web/ui/copy/CodeBlock.tsx';
import { Tabs } from '#web/ui/tabs/Tabs.tsx';

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
    <div className={classes('mx-auto', styles['page'])}>
      <header className="row justify-between gap-16 py-16 border-b">
        <Logo />
        <LinkButton to="/token" size="sm" variant="outline">
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
                className="hover-ink ring-inset"
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
          <WentWrong query={{ error, refetch }} />
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
            <a href={`#${id}`} className="hover-ink" lang={language}>
              <strong>{title}</strong> {words}
            </a>
          </li>
        ))}
        {also.map(({ name, title }) => (
          <li key={name}>
            <Link
              to="/docs"
              search={{ lang, page: name === 'api' ? undefined : name }}
              className="hover-ink"
            >
              {own.page} <strong>{title[reads]}</strong>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The chapters fit beside the text, as in the stylesheet. */
const BESIDE = '(min-width: 1024px)';

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
          <a
            href={`#${id}`}
            className="hover-ink"
            lang={language}
            aria-current={id === current ? 'location' : undefined}
          >
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

/** Renders a page of Markdown without its first-level heading, which is the page's own. */
function Markdown({ blocks }: { blocks: readonly Block[] }) {
  return blocks.map((block, index) => {
    const alike = blocks.slice(0, index + 1).filter(isAlike(block)).length;
    const requests = blocks.slice(0, index + 1).filter(isRequest).length;
    return <Part key={index} block={block} example={requests} alike={alike} />;
  });
}

const isAlike = (block: Block) => (other: Block) =>
  block.kind === 'code' &&
  other.kind === 'code' &&
  block.language === other.language &&
  other.note === '';

const isRequest = (block: Block): boolean => block.kind === 'code' && block.language === 'sh';

type PartProps = {
  block: Block;
  /** The number of the page's request that this is or belongs to; each has its own name. */
  example: number;
  alike: number;
};

function Part({ block, example, alike }: PartProps) {
  switch (block.kind) {
    case 'heading':
      return <Heading {...block} />;
    case 'paragraph':
      return (
        <p>
          <Line line={block.line} />
        </p>
      );
    case 'list':
      return (
        <ul>
          {block.items.map((item, index) => (
            <li key={index}>
              <Line line={item} />
            </li>
          ))}
        </ul>
      );
    case 'table':
      return <Table {...block} />;
    case 'code':
      return <Code block={block} example={example} alike={alike} />;
  }
}

function Heading({ level, id, text }: Extract<Block, { kind: 'heading' }>) {
  if (level === 1) return null;
  const Tag = level === 2 ? 'h2' : 'h3';
  return (
    <Tag id={id}>
      <a href={`#${id}`}>{text}</a>
    </Tag>
  );
}

function Table({ head, rows }: Extract<Block, { kind: 'table' }>) {
  return (
    <div className={classes('card overflow-hidden', styles['scroll'])}>
      <table>
        <thead>
          <tr>
            {head.map((cell, index) =>
              cell.length === 0 ? (
                <td key={index}>
                  <Line line={cell} />
                </td>
              ) : (
                <th key={index} scope="col">
                  <Line line={cell} />
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, at) => (
                <td key={at}>
                  <Line line={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const Line = ({ line }: { line: readonly Inline[] }) =>
  line.map((inline, index) => <Fragment key={index}>{wordsOf(inline)}</Fragment>);

function wordsOf(inline: Inline) {
  switch (inline.kind) {
    case 'text':
      return inline.text;
    case 'code':
      return <code>{inline.text}</code>;
    case 'strong':
      return <strong>{inline.text}</strong>;
    case 'emphasis':
      return <em>{inline.text}</em>;
    case 'link':
      return <a href={inline.href}>{inline.text}</a>;
  }
}

function Code({
  block,
  example,
  alike,
}: { block: Extract<Block, { kind: 'code' }> } & Pick<PartProps, 'example' | 'alike'>) {
  const { request, response, copying } = words[useContext(ReaderContext).reads];
  const { language, note, code } = block;
  if (isRequest(block)) return <Example title={`${request} ${example}`} code={code} />;
  const plain = alike === 1 ? language : `${language} ${alike}`;
  return (
    <CodeBlock
      title={note === '' ? plain : `${response} ${example}: ${note}`}
      code={code}
      labels={copying}
    />
  );
}

function Example({ code, title }: { code: string; title: string }) {
  const { reads, language, setLanguage, tryOut } = useContext(ReaderContext);
  const { languageOf, tryIt, copying } = words[reads];
  const request = readCurl(code);
  if (!request) return <CodeBlock title={title} code={code} labels={copying} />;
  return (
    <div className="stack gap-12">
      <Tabs
        label={`${languageOf} ${title.toLowerCase()}`}
        value={language}
        onChange={(value) => setLanguage(value as SampleLanguage)}
        tabs={languages.map((one) => ({
          value: one,
          label: languageTitle[one],
          content: <CodeBlock title={title} code={sampleIn(one, code)} labels={copying} />,
        }))}
      />
      <div>
        <Button
          size="sm"
          variant="subtle"
          aria-label={`${tryIt}: ${title.toLowerCase()}`}
          onClick={() => tryOut(request)}
        >
          {tryIt}
        </Button>
      </div>
    </div>
  );
}

type Reader = {
  /** The language of the page. */
  reads: Language;
  language: SampleLanguage;
  setLanguage: (language: SampleLanguage) => void;
  tryOut: (request: SampleRequest) => void;
};

const ReaderContext = createContext<Reader>({
  reads: 'id',
  language: 'curl',
  setLanguage: () => undefined,
  tryOut: () => undefined,
});
