import { flushSync } from 'react-dom';

/**
 * Writes a piece where the cursor of an area is, in place of what is selected, and puts the cursor behind it: at
 * once, so that what is typed next stands there too. The focus stays where it is.
 */
export function insertText(
  area: HTMLTextAreaElement | null,
  text: string,
  piece: string,
  onText: (next: string) => void,
): void {
  const { selectionStart: from = text.length, selectionEnd: to = from } = area ?? {};
  flushSync(() => onText(text.slice(0, from) + piece + text.slice(to)));
  area?.setSelectionRange(from + piece.length, from + piece.length);
}
