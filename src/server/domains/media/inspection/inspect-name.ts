import { withoutUnusable } from '#contract/base/schema.ts';
import { FILE_NAME_MAX } from '#contract/uploads.ts';

const special = /[<>:"|?*]/g;
const DEFAULT_NAME = 'berkas';
const ENDING_MAX = 12;
const RAW_MAX = 4_096;

/**
 * Cleans a file name for display: its last part only, in NFC, without invisible characters, at most 200 graphemes,
 * of which a short ending is never cut. It is never used as a path.
 */
export function cleanName(raw: string): string {
  const shown = raw.slice(0, RAW_MAX).toWellFormed().normalize('NFC');
  const last = withoutUnusable(shown).split(/[/\\]/).at(-1) ?? '';
  const name = last
    .replace(special, '_')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '');
  return shorten(name === '' ? DEFAULT_NAME : name);
}

const graphemes = new Intl.Segmenter('id', { granularity: 'grapheme' });

function shorten(name: string): string {
  const letters = Array.from(graphemes.segment(name), ({ segment }) => segment);
  if (letters.length <= FILE_NAME_MAX) return name;
  const dot = letters.lastIndexOf('.');
  const ending = dot > 0 && letters.length - dot <= ENDING_MAX ? letters.slice(dot) : [];
  return [...letters.slice(0, FILE_NAME_MAX - ending.length), ...ending].join('');
}

export const withEnding = (name: string, ending: string): string =>
  shorten(`${name.replace(/\.[^.]*$/, '')}.${ending}`);
