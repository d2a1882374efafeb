import { useEffect, useRef, useState, type RefObject } from 'react';

/**
 * Accepts files dropped on an element; folders and texts are left to the browser.
 *
 * @param onFiles `undefined`: drops are disabled
 * @returns whether files are dragged over it
 */
export function useFileDrop(
  place: RefObject<HTMLElement | null>,
  onFiles: ((files: readonly File[]) => void) | undefined,
): boolean {
  const [above, setAbove] = useState(false);
  const newest = useRef(onFiles);
  useEffect(() => {
    newest.current = onFiles;
  });
  const open = onFiles !== undefined;
  useEffect(() => {
    const over = place.current;
    if (!over || !open) return;
    const drag = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'copy';
      setAbove(true);
    };
    const leave = (event: DragEvent) => {
      if (!(event.relatedTarget instanceof Node) || !over.contains(event.relatedTarget)) {
        setAbove(false);
      }
    };
    const drop = (event: DragEvent) => {
      setAbove(false);
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      const files = filesOf(event.dataTransfer);
      if (files.length > 0) newest.current?.(files);
    };
    over.addEventListener('dragenter', drag);
    over.addEventListener('dragover', drag);
    over.addEventListener('dragleave', leave);
    over.addEventListener('drop', drop);
    return () => {
      setAbove(false);
      over.removeEventListener('dragenter', drag);
      over.removeEventListener('dragover', drag);
      over.removeEventListener('dragleave', leave);
      over.removeEventListener('drop', drop);
    };
  }, [place, open]);
  return above;
}

/** The files of a drop, without folders, which look like files but cannot be read. */
const filesOf = ({ items, files }: DataTransfer): readonly File[] => {
  const folders = new Set(
    [...items]
      .filter((item) => item.webkitGetAsEntry?.()?.isDirectory)
      .map((item) => item.getAsFile()?.name),
  );
  return [...files].filter(({ name }) => !folders.has(name));
};
