import {
  fillTemplate,
  valueOrderOf,
  type Template,
  type TemplateCategory,
  type TemplateFile,
  type TemplateStatus,
} from '#contract/messages/templates.ts';
import type { Tone } from '#web/ui/status/StatusChip.tsx';

export const categoryLabel: Record<TemplateCategory, { title: string; means: string }> = {
  utility: { title: 'Utilitas', means: 'kabar tentang pesanan, tagihan, atau jadwal' },
  marketing: { title: 'Pemasaran', means: 'promosi, penawaran, atau undangan' },
  authentication: { title: 'Autentikasi', means: 'kode verifikasi' },
};

export const statusLook: Record<TemplateStatus, { tone: Tone; words: string }> = {
  approved: { tone: 'success', words: 'Disetujui' },
  pending: { tone: 'info', words: 'Menunggu persetujuan' },
  rejected: { tone: 'danger', words: 'Ditolak' },
};

export const fileLabel: Record<TemplateFile, string> = {
  image: 'Gambar',
  video: 'Video',
  document: 'Dokumen',
};

/** The languages that the form offers; the API accepts others. */
export const offeredLanguages = ['id', 'en', 'en_US', 'jv', 'ms', 'ar', 'zh_CN', 'ja'] as const;

const names = new Intl.DisplayNames(['id'], { type: 'language' });

/** `Indonesia`; an unknown code is returned as it is. */
export function languageLabel(code: string): string {
  try {
    return names.of(code.replace('_', '-')) ?? code;
  } catch {
    return code;
  }
}

export const addressOf = ({ name, language }: Pick<Template, 'name' | 'language'>): string =>
  `${name}:${language}`;

/** The name and language in an address key; empty texts if invalid. */
export function namedIn(open: string): { name: string; language: string } {
  const [name = '', language = ''] = open.split(':');
  return { name, language };
}

export type Examples = Readonly<Record<string, string>>;

/** A body with its examples filled in; a variable without one stays a placeholder. */
export const previewOf = (body: string, examples: Examples): string =>
  fillTemplate(
    body,
    valueOrderOf(body).map((name) => examples[name] || `{{${name}}}`),
  );

export const buttonsOf = (lines: string): string[] =>
  lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

export function nextVariable(body: string): string {
  const numbers = valueOrderOf(body).filter((name) => /^\d+$/.test(name));
  return String(Math.max(0, ...numbers.map(Number)) + 1);
}
