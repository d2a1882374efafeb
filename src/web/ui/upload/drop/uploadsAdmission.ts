/** "No limit" of files. */
const FILES_UNLIMITED = 1_000_000;

type AdmissionRequest = {
  present: number;
  /** Files added together: dropped, selected or pasted. */
  adding: number;
  multiple: boolean;
  /** `undefined`: no limit. */
  maxFiles: number | undefined;
  /** On a single-file field, whether a new file replaces the present one. */
  allowReplace: boolean;
};

/**
 * Decides whether files added together are accepted. `too-many` ('Max files') rejects all of them: several on a
 * single-file field, or more than the limit in total.
 */
export function admission(request: AdmissionRequest): 'add' | 'replace' | 'too-many' {
  const { present, adding, multiple, allowReplace } = request;
  if (!multiple && adding > 1) return 'too-many';
  if (!multiple && present > 0) return allowReplace ? 'replace' : 'too-many';
  const most = multiple ? (request.maxFiles ?? FILES_UNLIMITED) : 1;
  return present + adding > most ? 'too-many' : 'add';
}

const ignored: readonly string[] = ['.ds_store', 'thumbs.db', 'desktop.ini'];

/** True for system files in folders that people do not mean to send. */
export const isIgnored = (name: string, names: readonly string[] = ignored): boolean =>
  names.includes(name.toLowerCase());
