import { useEffect, useRef, useState } from 'react';

const SAYS_SO_MS = 2_000;

/** Copies a text; true on success. Also works on plain http. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.setAttribute('readonly', '');
    area.className = 'sr-only';
    const container = document.querySelector('dialog:modal') ?? document.body;
    const before = document.activeElement;
    container.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    if (before instanceof HTMLElement) before.focus();
    return done;
  }
}

/** `[copied, copy]`: `copied` stays true for two seconds after a successful copy. */
export function useCopy(text: string): [boolean, () => void] {
  const [copied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async () => {
    if (!(await copyText(text))) return;
    setCopied(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setCopied(false), SAYS_SO_MS);
  };
  return [copied, () => void copy()];
}
