import { flushSync } from 'react-dom';

/**
 * Replaces the selection of a text area by a text and puts the cursor after it, synchronously, so that typing continues
 * there. The focus does not move.
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
