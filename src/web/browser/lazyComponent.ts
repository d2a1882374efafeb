import { createElement, use, type ComponentType } from 'react';

/** A piece whose code is fetched when it is shown first, or before, by `bring`. */
export type Later<Props> = ComponentType<Props> & {
  /** Fetches it beforehand. What fails is reported when it is shown. */
  bring: () => Promise<void>;
  /** True when it can be shown at once. */
  isHere: () => boolean;
};

/** React reads a failure several times before it gives it to a boundary. */
const FORGET_MS = 1_000;

/** Makes a piece of code that comes when it is first rendered. */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): Later<Props> {
  let known: ComponentType<Props> | undefined;
  let shown: Promise<ComponentType<Props>> | undefined;
  const arrive = async () => (known = await load());
  const arriveShown = () => {
    const arriving = arrive();
    // What failed is thrown to who shows it, and tried again when it is shown again.
    arriving.catch(() => setTimeout(() => (shown = undefined), FORGET_MS));
    return arriving;
  };
  // What has been brought is drawn at once; React's own `lazy` would wait for a promise all the same.
  const Piece = (props: Props) => createElement(known ?? use((shown ??= arriveShown())), props);
  return Object.assign(Piece, {
    bring: async () => {
      if (!known) await arrive().catch(() => undefined);
    },
    isHere: () => known !== undefined,
  });
}
