import { Fragment } from 'react';
import { Example } from '#web/features/docs/Example.tsx';
import styles from '#web/features/docs/docs.module.css';
import type { Block, Inline } from '#web/features/docs/markdown.ts';
import { CodeBlock } from '#web/ui/copy/CodeBlock.tsx';

/** A page of Markdown, drawn; its heading of the first level is the page's own, and left out. */
export function Markdown({ blocks }: { blocks: readonly Block[] }) {
  const requests = blocks.filter(isRequest);
  return blocks.map((block, index) => {
    const count = requests.filter((one) => blocks.indexOf(one) <= index).length;
    return <Part key={index} block={block} example={count} />;
  });
}

const isRequest = (block: Block): boolean => block.kind === 'code' && block.language === 'sh';

type PartProps = {
  block: Block;
  /** Which request of the page this is, or belongs to: each has a name of its own. */
  example: number;
};

function Part({ block, example }: PartProps) {
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
      return isRequest(block) ? (
        <Example title={titleOf(block, example)} code={block.code} />
      ) : (
        <CodeBlock title={titleOf(block, example)} code={block.code} />
      );
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
    <div className={styles['scroll']}>
      <table>
        <thead>
          <tr>
            {head.map((cell, index) => (
              <th key={index} scope="col">
                <Line line={cell} />
              </th>
            ))}
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
    case 'link':
      return <a href={inline.href}>{inline.text}</a>;
  }
}

const titleOf = (block: Extract<Block, { kind: 'code' }>, example: number): string =>
  isRequest(block)
    ? `Request ${example}`
    : block.note === ''
      ? block.language
      : `Answer ${example}: ${block.note}`;
