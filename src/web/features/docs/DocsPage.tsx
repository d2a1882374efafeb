import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Markdown } from '#web/features/docs/Markdown.tsx';
import styles from '#web/features/docs/docs.module.css';
import { parseMarkdown } from '#web/features/docs/markdown.ts';
import { Logo } from '#web/ui/brand/Logo.tsx';
import { configQuery } from '#web/api/configQuery.ts';
import { LinkButton } from '#web/ui/button/Button.tsx';
import { PageTitle } from '#web/ui/layout/PageTitle.tsx';

/** `docs/api.md`, as it is in the repository: the build brings it with the page. */
const source = Object.values(
  import.meta.glob<string>('/docs/api.md', { query: '?raw', import: 'default', eager: true }),
).join('');
/** What stands for the installation's own address there. */
const EXAMPLE_ADDRESS = 'https://kabari.example';

/** Route `/docs`, for everybody: the documentation of the API, with this installation's address. */
export function DocsPage() {
  const { data: config } = useQuery(configQuery);
  const address = config?.api_url || window.location.origin;
  const blocks = useMemo(
    () => parseMarkdown(source.replaceAll(EXAMPLE_ADDRESS, address)),
    [address],
  );
  const chapters = blocks.filter((block) => block.kind === 'heading' && block.level === 2);
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
        </div>
        <nav aria-label="Isi halaman" className={styles['contents']}>
          <ol>
            {chapters.map(
              (block) =>
                block.kind === 'heading' && (
                  <li key={block.id}>
                    <a href={`#${block.id}`} lang="en">
                      {block.text}
                    </a>
                  </li>
                ),
            )}
          </ol>
        </nav>
        <article lang="en" className={styles['article']}>
          <Markdown blocks={blocks} />
        </article>
      </main>
    </div>
  );
}
