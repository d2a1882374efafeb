import { useParams } from '#web/browser/router/Router.tsx';
import { Suspense, use, useEffect, useState } from 'react';
import { Article, Properties, States } from '#stories/gallery/Article.tsx';
import { loadAll, loadPiece } from '#stories/gallery/found.ts';
import styles from '#stories/gallery/gallery.module.css';
import type { Piece } from '#stories/gallery/piece.ts';
import { ThemeSwitch } from '#stories/gallery/ThemeSwitch.tsx';
import { NotFoundPage } from '#web/ui/page/NotFoundPage.tsx';
import { PageTitle } from '#web/ui/layout/PageTitle.tsx';
import { Spinner } from '#web/ui/button/Spinner.tsx';

/**
 * Route `/__galeri/{piece}`, in development and test builds only: every piece of the kit in every state, or one piece
 * alone. In English, because it is for developers.
 */
export function GalleryPage() {
  const { piece } = useParams();
  useEffect(() => {
    document.documentElement.lang = 'en';
    return () => {
      document.documentElement.lang = 'id';
    };
  }, []);
  return (
    <Suspense fallback={<Spinner screen />}>
      {piece === undefined ? <Everything /> : <Alone id={piece} />}
    </Suspense>
  );
}

function Alone({ id }: { id: string }) {
  const piece = use(loadPiece(id));
  if (piece === undefined) return <NotFoundPage />;
  return (
    <div className={styles['page']}>
      <header className={styles['bar']}>
        <a href="/__galeri" className={styles['back']}>
          All pieces
        </a>
        <ThemeSwitch />
      </header>
      <main id="isi" tabIndex={-1} className={styles['alone']}>
        <PageTitle>{piece.title}</PageTitle>
        <p className={styles['about']}>{piece.about}</p>
        <h2 className={styles['part']}>States</h2>
        <States piece={piece} />
        {piece.props.length > 0 && <h2 className={styles['part']}>Properties</h2>}
        <Properties piece={piece} />
      </main>
    </div>
  );
}

const matches = ({ id, title, about }: Piece, words: string): boolean =>
  words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => `${id} ${title} ${about}`.toLowerCase().includes(word));

function Everything() {
  const all = use(loadAll());
  const { broken } = all;
  const [words, setWords] = useState('');
  useEffect(() => {
    // The browser handled the fragment before the elements existed.
    document.getElementById(window.location.hash.slice(1))?.scrollIntoView();
  }, []);
  const pieces = all.pieces.filter((piece) => matches(piece, words));
  return (
    <div className={styles['page']}>
      <header className={styles['bar']}>
        <PageTitle className={styles['title'] ?? ''}>Gallery</PageTitle>
        <input
          type="search"
          className={styles['filter']}
          aria-label="Filter the pieces"
          placeholder="Filter"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        <Jump pieces={pieces} />
        <ThemeSwitch />
      </header>
      <div className={styles['columns']}>
        <Anchors pieces={pieces} />
        <main id="isi" tabIndex={-1} className={styles['pieces']}>
          {broken.map(({ id, why }) => (
            <p key={id} className={styles['broken']}>
              {id} could not be loaded: {why}
            </p>
          ))}
          {pieces.length === 0 && <p>No piece is called that.</p>}
          {pieces.map((piece) => (
            <Article key={piece.id} piece={piece} />
          ))}
        </main>
      </div>
    </div>
  );
}

const Anchors = ({ pieces }: { pieces: readonly Piece[] }) => (
  <nav aria-label="Pieces" className={styles['anchors']}>
    <ul className={styles['list']}>
      {pieces.map(({ id, title }) => (
        <li key={id}>
          <a href={`#piece-${id}`}>{title}</a>
        </li>
      ))}
    </ul>
  </nav>
);

const Jump = ({ pieces }: { pieces: readonly Piece[] }) => (
  <select
    className={styles['jump']}
    aria-label="Go to a piece"
    value=""
    onChange={(event) => {
      document.getElementById(`piece-${event.target.value}`)?.scrollIntoView();
    }}
  >
    <option value="" disabled>
      Go to …
    </option>
    {pieces.map(({ id, title }) => (
      <option key={id} value={id}>
        {title}
      </option>
    ))}
  </select>
);
