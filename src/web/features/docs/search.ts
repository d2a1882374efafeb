import type { Block, Inline } from '#web/features/docs/markdown.ts';

export type Found = { id: string; title: string; words: string };

const FOUND_MAX = 20;
const AROUND = 70;

const textOf = (line: readonly Inline[]): string => line.map(({ text }) => text).join('');

/** The lines of a block as plain text; each table row is one. */
function linesOf(block: Block): string[] {
  switch (block.kind) {
    case 'heading':
      return [block.text];
    case 'paragraph':
      return [textOf(block.line)];
    case 'list':
      return block.items.map(textOf);
    case 'table':
      return block.rows.map((row) =>
        row
          .map(textOf)
          .filter((cell) => cell !== '')
          .join(' · '),
      );
    case 'code':
      return block.code.split('\n');
  }
}

/** Finds lines of a page that contain all words, headings first; at most 20. */
export function searchIn(blocks: readonly Block[], text: string): Found[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const found: (Found & { isHeading: boolean })[] = [];
  let place = { id: '', title: '' };
  for (const block of blocks) {
    if (block.kind === 'heading') place = { id: block.id, title: block.text };
    for (const line of linesOf(block)) {
      const lower = line.toLowerCase();
      if (!words.every((word) => lower.includes(word))) continue;
      const isHeading = block.kind === 'heading';
      found.push({ ...place, words: isHeading ? '' : around(line, words[0] ?? ''), isHeading });
    }
  }
  return found
    .toSorted((a, b) => Number(b.isHeading) - Number(a.isHeading))
    .slice(0, FOUND_MAX)
    .map(({ id, title, words: near }) => ({ id, title, words: near }));
}

function around(line: string, word: string): string {
  const at = line.toLowerCase().indexOf(word);
  const from = Math.max(0, at - AROUND);
  const to = at + word.length + AROUND;
  return `${from > 0 ? '…' : ''}${line.slice(from, to).trim()}${to < line.length ? '…' : ''}`;
}
