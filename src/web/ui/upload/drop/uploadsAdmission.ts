/** "No limit" of files. */
const FILES_UNLIMITED = 1_000_000;

type AdmissionRequest = {
  /** Files that are there. */
  present: number;
  /** Files that came together: dropped, chosen or pasted. */
  adding: number;
  multiple: boolean;
  /** `undefined`: no limit. */
  maxFiles: number | undefined;
  /** On a field for one file, whether another one takes its place. */
  allowReplace: boolean;
};

/**
 * Whether files that came together are taken. `too-many` ('Max files'): none of them is. Several on a
 * field for one are too many; so is whatever goes beyond the limit in all.
 */
export function admission(request: AdmissionRequest): 'add' | 'replace' | 'too-many' {
  const { present, adding, multiple, allowReplace } = request;
  if (!multiple && adding > 1) return 'too-many';
  if (!multiple && present > 0) return allowReplace ? 'replace' : 'too-many';
  const most = multiple ? (request.maxFiles ?? FILES_UNLIMITED) : 1;
  return present + adding > most ? 'too-many' : 'add';
}

const ignored: readonly string[] = ['.ds_store', 'thumbs.db', 'desktop.ini'];

/** Files that systems leave in folders and nobody means to send. */
export const isIgnored = (name: string, names: readonly string[] = ignored): boolean =>
  names.includes(name.toLowerCase());
