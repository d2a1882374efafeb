import { createElement, use, type ComponentType } from 'react';

/** A piece whose code is fetched when it is shown first, or before, by `bring`. */
export type Later<Props> = ComponentType<Props> & {
  /** Fetches it beforehand. What fails is reported when it is shown. */
  bring: () => Promise<void>;
  /** True when it can be shown at once. */
  isHere: () => boolean;
};

/** Makes a piece of code that comes when it is first rendered. */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): Later<Props> {
  let known: ComponentType<Props> | undefined;
  let shown: Promise<ComponentType<Props>> | undefined;
  const arrive = async () => (known = await load());
  // What has been brought is drawn at once; React's own `lazy` would wait for a promise all the same.
  const Piece = (props: Props) => createElement(known ?? use((shown ??= arrive())), props);
  return Object.assign(Piece, {
    bring: async () => {
      if (!known) await arrive().catch(() => undefined);
    },
    isHere: () => known !== undefined,
  });
}
