/** Writes a piece where the cursor of an area is, in place of what is selected, and puts the cursor behind it. */
export function insertText(
  area: HTMLTextAreaElement | null,
  text: string,
  piece: string,
  onText: (next: string) => void,
): void {
  const { selectionStart: from = text.length, selectionEnd: to = from } = area ?? {};
  onText(text.slice(0, from) + piece + text.slice(to));
  requestAnimationFrame(() => {
    area?.focus();
    area?.setSelectionRange(from + piece.length, from + piece.length);
  });
}
