import { Fragment, useContext } from 'react';
import styles from '#web/features/docs/docs.module.css';
import { classes } from '#web/ui/classes.ts';
import type { Block, Inline } from '#web/features/docs/markdown.ts';
import { ReaderContext } from '#web/features/docs/reader.ts';
import { words } from '#web/features/docs/words.ts';
import { CodeBlock } from '#web/ui/copy/CodeBlock.tsx';
import {
  languageTitle,
  languages,
  readCurl,
  sampleIn,
  type SampleLanguage,
} from '#web/features/docs/samples.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { Tabs } from '#web/ui/tabs/Tabs.tsx';

/** Renders a page of Markdown without its first-level heading, which is the page's own. */
export function Markdown({ blocks }: { blocks: readonly Block[] }) {
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
