import { createElement, use, type ComponentType } from 'react';

/** A component whose code is fetched at its first render, or before by `bring`. */
export type Later<Props> = ComponentType<Props> & {
  /** Fetches the code beforehand. Failures are reported at render. */
  bring: () => Promise<void>;
  isHere: () => boolean;
};

/** React reads a failure several times before passing it to a boundary. */
const FORGET_MS = 1_000;

/** Makes a component from code that is loaded at its first render. */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): Later<Props> {
  let known: ComponentType<Props> | undefined;
  let shown: Promise<ComponentType<Props>> | undefined;
  const arrive = async () => (known = await load());
  const arriveShown = () => {
    const arriving = arrive();
    // A failure is thrown to the renderer and retried at the next render.
    arriving.catch(() => setTimeout(() => (shown = undefined), FORGET_MS));
    return arriving;
  };
  // Loaded code renders at once; React's `lazy` would wait for a promise.
  const Piece = (props: Props) => createElement(known ?? use((shown ??= arriveShown())), props);
  return Object.assign(Piece, {
    bring: async () => {
      if (!known) await arrive().catch(() => undefined);
    },
    isHere: () => known !== undefined,
  });
}
