import { Boundary } from '#web/browser/router/Boundary.tsx';
import type { Piece, Prop } from '#stories/gallery/piece.ts';
import { Among } from '#stories/gallery/Show.tsx';
import styles from '#stories/gallery/gallery.module.css';

export const Article = ({ piece }: { piece: Piece }) => (
  <article id={`piece-${piece.id}`} className={styles['article']}>
    <header className={styles['head']}>
      <h2>{piece.title}</h2>
      <a href={`/__galeri/${piece.id}`} aria-label={`${piece.title} alone`}>
        Alone
      </a>
    </header>
    <p className={styles['about']}>{piece.about}</p>
    <Properties piece={piece} />
    <Among value={piece.title}>
      <States piece={piece} />
    </Among>
  </article>
);

export function Properties({ piece: { title, props } }: { piece: Piece }) {
  if (props.length === 0) return null;
  return (
    <div className={styles['scroller']} tabIndex={0} role="group" aria-label={`${title} takes`}>
      <table className={styles['properties']}>
        <caption className="sr-only">Properties of {title}</caption>
        <thead>
          <tr>
            <th scope="col">Property</th>
            <th scope="col">Type</th>
            <th scope="col">Default</th>
            <th scope="col">What it does</th>
          </tr>
        </thead>
        <tbody>
          {props.map((prop) => (
            <Row key={prop.name} prop={prop} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const Row = ({ prop }: { prop: Prop }) => (
  <tr>
    <th scope="row">
      <code>{prop.name}</code>
    </th>
    <td>
      <code className={styles['type']}>{prop.type}</code>
    </td>
    <td>{prop.default === undefined ? '–' : <code>{prop.default}</code>}</td>
    <td>{prop.about}</td>
  </tr>
);

export const States = ({ piece: { id, Demo } }: { piece: Piece }) => (
  <div className={styles['states']}>
    <Boundary
      resetKey={id}
      fallback={(error) => <p className={styles['broken']}>This piece breaks: {String(error)}</p>}
    >
      <Demo />
    </Boundary>
  </div>
);
